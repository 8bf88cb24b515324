//! **machiner**: the life of the machine.
//!
//! Trigger: its start, then each change of the machine's life, and while units are in the way
//! also each change of those. Action: reports addresses and `started`, with what the machine does
//! not give to restrict the agent's process; when the machine is dying, reports `stopped` and asks
//! for its death, which is refused while it has units. Effect: a removed machine stays until its
//! units are gone, then its agent ends for good.

use periapt_engine::{Fatal, Manifold, ResultExt, TaskWorker, WorkerContext, WorkerResult};
use periapt_model::Life;
use periapt_model::status::{Machine, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::deployer::WatchMachineUnits;
use periapt_wire::agent::machiner::{
    EnsureMachinerDead, MachineLife, SetMachineStatus, WatchMachine,
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
        Ok(TaskWorker::spawn(move |worker| {
            let machiner = Machiner {
                context: machine,
                connection,
                worker,
                units: None,
                told: None,
            };
            machiner.run()
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

struct Machiner {
    context: MachineContext,
    connection: ApiConnection,
    worker: WorkerContext,
    /// Of a machine that is leaving.
    units: Option<Watching>,
    /// The status that was reported last.
    told: Option<Machine>,
}

impl Machiner {
    async fn run(mut self) -> WorkerResult {
        let watch = WatchMachine {
            machine: self.context.machine.clone(),
        };
        let doing = "watching the machine";
        let begun = Watching::begin(&self.worker, &self.connection, &watch, doing);
        let mut changes = Box::pin(begun).await?;
        loop {
            either(&mut changes, &mut self.units).await?;
            // In a frame of its own: a machine at rest keeps only what it waits with.
            Box::pin(self.follow()).await?;
        }
    }

    async fn follow(&mut self) -> WorkerResult {
        let machine = self.context.machine.clone();
        let connection = &self.connection;
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
        let told = self.told.replace(status);
        if told != Some(status) {
            let begins = told.is_none();
            let set = SetMachineStatus {
                machine: machine.clone(),
                status: Status::new(status, message(status, &self.context.host.lacks)),
                addresses: begins.then(|| self.context.host.addresses.clone()),
            };
            connection
                .call(&set)
                .await
                .while_doing("reporting the status")?;
        }
        if status != Machine::Stopped {
            return Ok(());
        }
        if self.units.is_none() {
            // Before asking, so that the last unit's end is not missed.
            let watch = WatchMachineUnits {
                machine: machine.clone(),
            };
            let doing = "watching the units";
            self.units = Some(Watching::begin(&self.worker, connection, &watch, doing).await?);
        }
        match connection.call(&EnsureMachinerDead { machine }).await {
            Ok(_) => Err(Fatal::TerminateAgent.into()),
            Err(error) if error.is(code::NOT_FOUND) => Err(Fatal::TerminateAgent.into()),
            Err(error) if error.is(code::HAS_ASSIGNED_UNITS) => Ok(()),
            Err(error) => Err(error).while_doing("ending the machine's life"),
        }
    }
}

/// What goes with the status.
fn message(status: Machine, lacks: &str) -> &str {
    match status {
        Machine::Started => lacks,
        _ => "",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_says_what_its_agent_lacks_while_it_runs() {
        let lacks = "its agent has no Landlock";
        assert_eq!(message(Machine::Started, lacks), lacks);
        assert_eq!(message(Machine::Stopped, lacks), "");
    }
}
