//! The machines that this process hosts: one nested engine for each.
//!
//! Trigger: the list of hosted machines. Action: starts an engine for a new machine, starts that of one which
//! reboots again, and stops that of one which is gone; at its start, and after a machine went, it removes what units that
//! are gone left on disk. Effect: a provisioned machine comes up, and one that is removed leaves
//! nothing. It lives as long as one connection: with a new one all engines are made anew.

use std::collections::BTreeSet;
use std::sync::Arc;

use periapt_engine::{
    Fatal, Kind, Manifold, ResultExt, Runner, RunnerConfig, RunnerError, SharedWorker, TaskWorker,
    Worker, WorkerContext, WorkerResult,
};
use periapt_model::MachineId;
use periapt_model::proxy::ProxySettings;
use periapt_uniter::ModelIdentity;
use periapt_wire::ApiConnection;
use periapt_wire::agent::host::{HostModel, HostedMachines, WatchHostedMachines};
use tokio::sync::watch;

use super::settings::{self, ModelSettings};
use super::{AgentContext, agent, apicaller, leftovers, proxyupdater};
use crate::machine::{self, HostContext, MachineContext};
use crate::watching::Watching;

pub const NAME: &str = "machines";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let settings: ModelSettings = context.get(settings::NAME)?;
        let proxies: watch::Receiver<ProxySettings> = context.get(proxyupdater::NAME)?;
        let model = context.or_abort(connection.call(&HostModel {})).await?;
        let model = model.while_doing("asking for the model")?;
        let host = HostContext {
            model: ModelIdentity {
                uuid: model.uuid,
                name: model.name,
            },
            limits: model.limits,
            connection,
            lacks: agent.lacks(),
            process: agent.process,
            settings,
            proxies,
            addresses: agent.addresses,
            clock: context.clock(),
            randomness: context.randomness(),
        };
        let runner = Runner::new(
            RunnerConfig::new("machines", context.clock())
                .fatal_when(|error| error.kind() == Kind::Fatal(Fatal::ShutdownMachine))
                .restart_when(|error| error.kind() != Kind::Fatal(Fatal::TerminateAgent)),
        );
        let hosted = Hosted {
            host,
            runner: runner.clone(),
        };
        let worker = TaskWorker::spawn(move |worker| async move { hosted.run(worker).await });
        Ok(Arc::new(Reporting { worker, runner }) as SharedWorker)
    })
    .needs([
        agent::NAME,
        apicaller::NAME,
        settings::NAME,
        proxyupdater::NAME,
    ])
}

struct Hosted {
    host: HostContext,
    runner: Runner,
}

impl Hosted {
    async fn run(self, worker: WorkerContext) -> WorkerResult {
        worker.add(Arc::new(self.runner.clone()))?;
        let connection = &self.host.connection;
        let (watch, doing) = (WatchHostedMachines {}, "watching machines");
        let mut changes = Watching::begin(&worker, connection, &watch, doing).await?;
        // Before anything runs, so that it finds what was left while nobody was here.
        self.sweep(&worker).await?;
        let mut known = BTreeSet::new();
        loop {
            // The first names all that are hosted, later ones what changed, hosted or not.
            let machines: Vec<MachineId> = changes.names().await?;
            let call = HostedMachines {
                machines: machines.clone(),
            };
            let hosted = worker.or_dying(connection.call(&call)).await?;
            let hosted = hosted.while_doing("asking which machines are hosted")?;
            self.start(&hosted)?;
            let gone = |machine: &MachineId| !hosted.contains(machine);
            let gone: Vec<MachineId> = machines.into_iter().filter(gone).collect();
            known.extend(hosted);
            let mut stopped = false;
            for machine in gone {
                if known.remove(&machine) {
                    self.stop(&machine, &worker).await?;
                    stopped = true;
                }
            }
            if stopped {
                self.sweep(&worker).await?;
            }
        }
    }

    async fn sweep(&self, worker: &WorkerContext) -> WorkerResult {
        let sweep = leftovers::sweep(&self.host.process, &self.host.connection);
        worker
            .or_dying(sweep)
            .await?
            .while_doing("asking which units are gone")
    }

    /// Returns when nothing of the machine runs any more.
    async fn stop(&self, machine: &MachineId, worker: &WorkerContext) -> WorkerResult {
        machine::stop_engine(&self.runner, machine.as_str(), worker).await?;
        self.host.process.turns().forget(machine);
        Ok(())
    }

    fn start(&self, machines: &[MachineId]) -> WorkerResult {
        for machine in machines {
            let context = MachineContext {
                machine: machine.clone(),
                host: self.host.clone(),
                boot: Arc::default(),
            };
            let started = self.runner.start_worker(machine.to_string(), move || {
                let engine = machine::start(&context);
                async move {
                    let engine = engine.worker_error()?;
                    Ok(Arc::new(engine) as SharedWorker)
                }
            });
            match started {
                Ok(()) | Err(RunnerError::AlreadyExists(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// The worker, which reports the engines of its machines.
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
