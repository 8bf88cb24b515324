//! **machineundertaker**: the last rites of a machine whose instance is gone.
//!
//! Trigger: a machine marked for removal. Action: what the provider still holds for it would be
//! released here (the local provider holds nothing beyond the instance), then the removal of all
//! that are marked is completed in one call. Effect: they leave status. It never touches a machine
//! that is not marked.

use periapt_engine::{Manifold, ResultExt, TaskWorker, WorkerResult};
use periapt_wire::ApiConnection;
use periapt_wire::agent::machine_undertaker::{
    AllMachineRemovals, CompleteMachineRemovals, WatchMachineRemovals,
};

use super::{apicaller, environ};
use crate::watching;

pub const NAME: &str = "machine-undertaker";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        context.require(environ::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let (watch, doing) = (WatchMachineRemovals {}, "watching machine removals");
            watching::notify(&worker, &api, watch, doing, || complete(&api)).await
        }))
    })
    .needs([apicaller::NAME, environ::NAME])
}

async fn complete(api: &ApiConnection) -> WorkerResult {
    let machines = api.call(&AllMachineRemovals {}).await;
    let machines = machines.while_doing("listing machine removals")?;
    if machines.is_empty() {
        return Ok(());
    }
    let completed = api.call(&CompleteMachineRemovals { machines }).await;
    completed.while_doing("completing the removal of machines")?;
    Ok(())
}
