//! **machineundertaker**: the last rites of a machine whose instance is gone.
//!
//! Trigger: a machine marked for removal. Action: what the provider still holds for it would be
//! released here (the local provider holds nothing beyond the instance), then the removal is
//! completed. Effect: the machine leaves status. It never touches a machine that is not marked.

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_wire::ApiConnection;
use periapt_wire::agent::machine_undertaker::{
    AllMachineRemovals, CompleteMachineRemoval, WatchMachineRemovals,
};

use super::{apicaller, environ};

pub const NAME: &str = "machine-undertaker";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        context.require(environ::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = worker.or_dying(api.watch(&WatchMachineRemovals {})).await?;
            let mut watcher = watch.while_doing("watching machine removals")?;
            loop {
                worker
                    .or_dying(watcher.next())
                    .await?
                    .while_doing("watching machine removals")?;
                let machines = worker.or_dying(api.call(&AllMachineRemovals {})).await?;
                for machine in machines.while_doing("listing machine removals")? {
                    let call = CompleteMachineRemoval { machine };
                    worker
                        .or_dying(api.call(&call))
                        .await?
                        .while_doing("completing a machine's removal")?;
                }
            }
        }))
    })
    .needs([apicaller::NAME, environ::NAME])
}
