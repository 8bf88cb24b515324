//! **deployer**: keeps a unit agent for each unit of the machine.
//!
//! Trigger: the machine's units. Action: starts a nested engine for a unit that is not dead;
//! stops that of one which a person wants stopped, for as long as the controller says so; stops
//! the engine of a dead one, waits for its end and removes the unit; one that was removed
//! from under its engine leaves no files either. Effect: `add-unit`
//! ends in running hooks, `remove-unit` in a unit that is gone. A unit that dies before it ever
//! ran needs no shortcut here: its uniter finds nothing to stop. A failing engine is started
//! again by itself and never touches its siblings.

use std::sync::Arc;

use periapt_engine::{
    Fatal, Kind, Manifold, ResultExt, Runner, RunnerConfig, RunnerError, SharedWorker, TaskWorker,
    Worker, WorkerContext, WorkerResult,
};
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{Life, UnitName};
use periapt_wire::ApiConnection;
use periapt_wire::agent::deployer::{
    DeployedUnit, MachineUnits, RemoveUnit, SetDeployStatus, SetUnitStopped, WatchMachineUnits,
};
use periapt_wire::rpc::code;

use super::{MachineContext, agent, apicaller, stop_engine};
use crate::unit::{self, UnitContext};
use crate::watching;

pub const NAME: &str = "deployer";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let machine: MachineContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let runner = Runner::new(
            RunnerConfig::new(format!("units of {}", machine.machine), context.clock())
                .never_fatal()
                .restart_when(|error| error.kind() != Kind::Fatal(Fatal::TerminateAgent)),
        );
        let deployer = Deployer {
            machine,
            connection,
            runner: runner.clone(),
        };
        let worker = TaskWorker::spawn(move |worker| async move { deployer.run(worker).await });
        Ok(Arc::new(Reporting { worker, runner }) as SharedWorker)
    })
    .needs([agent::NAME, apicaller::NAME])
}

struct Deployer {
    machine: MachineContext,
    connection: ApiConnection,
    runner: Runner,
}

impl Deployer {
    async fn run(self, worker: WorkerContext) -> WorkerResult {
        worker.add(Arc::new(self.runner.clone()))?;
        let machine = self.machine.machine.clone();
        let (watch, doing) = (WatchMachineUnits { machine }, "watching units");
        // In a frame of its own: a machine at rest keeps only what it waits with.
        let deploy = || Box::pin(self.deploy_all(&worker));
        watching::notify(&worker, &self.connection, watch, doing, deploy).await
    }

    async fn deploy_all(&self, worker: &WorkerContext) -> WorkerResult {
        let machine = self.machine.machine.clone();
        let units = self.connection.call(&MachineUnits { machine }).await;
        let units = units.while_doing("listing units")?;
        self.stop_missing(&units, worker).await?;
        for unit in &units {
            match unit.life {
                Life::Dead => self.remove(&unit.unit, worker).await?,
                Life::Alive | Life::Dying if unit.stopped => {
                    self.stop(&unit.unit, worker).await?;
                }
                Life::Alive | Life::Dying => self.deploy(unit).await?,
            }
        }
        Ok(())
    }

    /// Stops the agents of units that were removed from under them. One that had no time to
    /// remove its own files has them removed.
    async fn stop_missing(&self, units: &[DeployedUnit], worker: &WorkerContext) -> WorkerResult {
        for id in self.runner.worker_ids() {
            if units.iter().any(|unit| unit.unit.as_str() == id) {
                continue;
            }
            stop_engine(&self.runner, &id, worker).await?;
            let Ok(unit) = id.parse() else { continue };
            if let Err(error) = self.machine.host.process.remove_unit(&unit).await {
                tracing::warn!(%unit, %error, "could not remove a unit's leftover files");
            }
        }
        Ok(())
    }

    async fn deploy(&self, deployed: &DeployedUnit) -> WorkerResult {
        if self
            .runner
            .worker_ids()
            .iter()
            .any(|id| id == deployed.unit.as_str())
        {
            return Ok(());
        }
        let is_new = !self
            .machine
            .host
            .process
            .unit_directory(&deployed.unit)
            .exists();
        if deployed.life == Life::Alive && is_new {
            let set = SetDeployStatus {
                unit: deployed.unit.clone(),
                workload: Status::new(Workload::Waiting, "installing agent"),
                agent: Status::new(Agent::Allocating, ""),
            };
            match self.connection.call(&set).await {
                Err(error) if error.is(code::NOT_FOUND) => return Ok(()),
                result => result.while_doing("reporting a deployment")?,
            };
        }
        let context = UnitContext {
            unit: deployed.unit.clone(),
            machine: self.machine.clone(),
        };
        let started = self
            .runner
            .start_worker(deployed.unit.to_string(), move || {
                let engine = unit::start(&context);
                async move {
                    let engine = engine.worker_error()?;
                    Ok(Arc::new(engine) as SharedWorker)
                }
            });
        match started {
            // One that is still stopping is looked at again with its next change.
            Ok(()) | Err(RunnerError::AlreadyExists(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Stops the agent of a unit that a person wants stopped, and says when it is.
    async fn stop(&self, unit: &UnitName, worker: &WorkerContext) -> WorkerResult {
        stop_engine(&self.runner, unit.as_str(), worker).await?;
        let stopped = SetUnitStopped { unit: unit.clone() };
        match self.connection.call(&stopped).await {
            Ok(_) => Ok(()),
            Err(error) if error.is(code::NOT_FOUND) => Ok(()),
            Err(error) => Err(error).while_doing("showing a unit as stopped"),
        }
    }

    async fn remove(&self, unit: &UnitName, worker: &WorkerContext) -> WorkerResult {
        stop_engine(&self.runner, unit.as_str(), worker).await?;
        match self
            .connection
            .call(&RemoveUnit { unit: unit.clone() })
            .await
        {
            Ok(_) => Ok(()),
            Err(error) if error.is(code::NOT_FOUND) => Ok(()),
            Err(error) => Err(error).while_doing("removing a unit"),
        }
    }
}

/// The deployer, which reports the engines of its units.
struct Reporting {
    worker: SharedWorker,
    runner: Runner,
}

#[async_trait::async_trait]
impl Worker for Reporting {
    fn kill(&self) {
        self.worker.kill();
    }

    async fn wait(&self) -> WorkerResult {
        self.worker.wait().await
    }

    fn report(&self) -> serde_json::Value {
        self.runner.report()
    }
}
