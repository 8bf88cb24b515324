//! **machiner**: the life of the machine.
//!
//! Trigger: its start, then each change of the machine's life, and while units are in the way
//! also each change of those. Action: reports addresses and `started`; when the machine is
//! dying, reports `stopped` and asks for its death, which is refused while it has units. Effect:
//! a removed machine stays until its units are gone, then its agent ends for good.

use periapt_engine::{Fatal, Manifold, ResultExt, TaskWorker, WorkerContext, WorkerResult};
use periapt_model::Life;
use periapt_model::status::{Machine, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::deployer::WatchMachineUnits;
use periapt_wire::agent::machiner::{
    EnsureMachinerDead, MachineLife, SetMachineAddresses, SetMachineStatus, WatchMachine,
};
use periapt_wire::rpc::code;

use super::{MachineContext, agent, apicaller};
use crate::watching::Watching;

pub const NAME: &str = "machiner";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let machine: MachineContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            run(machine, connection, worker).await
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

async fn run(
    context: MachineContext,
    connection: ApiConnection,
    worker: WorkerContext,
) -> WorkerResult {
    let machine = context.machine.clone();
    let watch = WatchMachine {
        machine: machine.clone(),
    };
    let doing = "watching the machine";
    let mut changes = Watching::begin(&worker, &connection, &watch, doing).await?;
    let mut units = None;
    let mut told = None;
    loop {
        either(&mut changes, &mut units).await?;
        let life = connection
            .call(&MachineLife {
                machine: machine.clone(),
            })
            .await;
        let status = match life.while_doing("reading the life of the machine")? {
            None | Some(Life::Dead) => return Err(Fatal::TerminateAgent.into()),
            Some(Life::Alive) => Machine::Started,
            Some(Life::Dying) => Machine::Stopped,
        };
        if told.is_none() {
            let set = SetMachineAddresses {
                machine: machine.clone(),
                addresses: context.host.addresses.clone(),
            };
            connection
                .call(&set)
                .await
                .while_doing("reporting addresses")?;
        }
        if told.replace(status) != Some(status) {
            let set = SetMachineStatus {
                machine: machine.clone(),
                status: Status::new(status, ""),
            };
            connection
                .call(&set)
                .await
                .while_doing("reporting the status")?;
        }
        if status == Machine::Stopped {
            if units.is_none() {
                // Before asking, so that the last unit's end is not missed.
                let watch = WatchMachineUnits {
                    machine: machine.clone(),
                };
                let doing = "watching the units";
                units = Some(Watching::begin(&worker, &connection, &watch, doing).await?);
            }
            match connection
                .call(&EnsureMachinerDead {
                    machine: machine.clone(),
                })
                .await
            {
                Ok(_) => return Err(Fatal::TerminateAgent.into()),
                Err(error) if error.is(code::NOT_FOUND) => return Err(Fatal::TerminateAgent.into()),
                Err(error) if error.is(code::HAS_ASSIGNED_UNITS) => {}
                Err(error) => return Err(error).while_doing("ending the machine's life"),
            }
        }
    }
}

async fn either(machine: &mut Watching, units: &mut Option<Watching>) -> WorkerResult {
    match units {
        None => machine.changed().await,
        Some(units) => tokio::select! {
            event = machine.changed() => event,
            event = units.changed() => event,
        },
    }
}
