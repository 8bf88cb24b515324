//! **reboot**: starts the machine afresh once somebody has asked for it.
//!
//! Trigger: its start, then each change of what is asked for. Action: waits until no hook runs on the machine
//! (the units begin with none, since they hear of it as well), shows the reboot, ends what runs in the units'
//! containers, has the reboot counted and asked for no more, and ends the engine of the machine with the
//! error that says so. Effect: whoever hosts the machine starts its engine again, and with it all units, of
//! which each that was started runs `start` once. Killed before it is counted, the next engine finds it
//! asked for; killed afterwards, the next engine is the one after the reboot.

use periapt_engine::{Fatal, Manifold, ResultExt, TaskWorker, WorkerResult, failpoint};
use periapt_model::status::{Machine, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::deployer::{DeployedUnit, MachineUnits};
use periapt_wire::agent::machiner::SetMachineStatus;
use periapt_wire::agent::reboot::{ClearReboot, GetReboot, WatchReboot};

use super::{MachineContext, agent, apicaller};
use crate::watching;

pub const NAME: &str = "reboot-executor";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let machine: MachineContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            let watch = WatchReboot {
                machine: machine.machine.clone(),
            };
            // In a frame of its own: a machine at rest keeps only what it waits with.
            let follow = || Box::pin(follow(&machine, &connection));
            watching::notify(&worker, &connection, watch, "watching for reboots", follow).await
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

async fn follow(context: &MachineContext, connection: &ApiConnection) -> WorkerResult {
    let machine = context.machine.clone();
    let reboots = connection.call(&GetReboot { machine }).await;
    let Some(reboots) = reboots.while_doing("asking whether the machine is to reboot")? else {
        return Ok(());
    };
    if *context.boot.get_or_init(|| reboots.count) != reboots.count {
        // The answer was lost that it is counted.
        return Err(Fatal::RebootMachine.into());
    }
    if !reboots.wanted {
        return Ok(());
    }
    context.host.process.turns().quiet(&context.machine).await;
    show(context, connection).await?;
    // A unit that had not heard of it yet may have begun with a hook.
    context.host.process.turns().quiet(&context.machine).await;
    end_workloads(context, connection).await?;
    failpoint::reach("machine-before-reboot");
    let machine = context.machine.clone();
    let cleared = connection.call(&ClearReboot { machine }).await;
    cleared.while_doing("recording the reboot")?;
    failpoint::reach("machine-after-reboot");
    tracing::info!(machine = %context.machine, "the machine reboots");
    Err(Fatal::RebootMachine.into())
}

async fn show(context: &MachineContext, connection: &ApiConnection) -> WorkerResult {
    let set = SetMachineStatus {
        machine: context.machine.clone(),
        status: Status::new(Machine::Started, "rebooting"),
        addresses: None,
    };
    let shown = connection.call(&set).await;
    shown.while_doing("showing the reboot").map(drop)
}

/// What is served by the units ends. What cannot be ended keeps the machine from nothing.
async fn end_workloads(context: &MachineContext, connection: &ApiConnection) -> WorkerResult {
    let machine = context.machine.clone();
    let units = connection.call(&MachineUnits { machine }).await;
    let units: Vec<DeployedUnit> = units.while_doing("listing units")?;
    let process = context.host.process.clone();
    let ended = tokio::task::spawn_blocking(move || {
        for DeployedUnit { unit, .. } in &units {
            if let Err(error) = process.end_workloads(unit) {
                tracing::warn!(%unit, %error, "what it serves goes on during the reboot");
            }
        }
    });
    ended.await.while_doing("ending what units serve")
}
