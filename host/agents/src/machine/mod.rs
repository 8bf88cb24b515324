//! The machine agent: one engine per machine, nested in the agent process that hosts it.
//!
//! Like its units it is lent the process's connection. It has two fatal errors: that its machine is dead, with
//! which the engine ends for good, and that the machine reboots, after which its host starts it again.

pub mod agent;
pub mod apicaller;
pub mod deployer;
pub mod machineactions;
pub mod machiner;
pub mod reboot;
#[cfg(test)]
pub(crate) mod tests;

use std::sync::{Arc, OnceLock};

use periapt_engine::{
    DependencyEngine, EngineConfig, InstallError, Manifolds, Runner, RunnerError, SharedClock,
    SharedRandomness, WorkerContext, WorkerError, WorkerResult,
};
use periapt_model::MachineId;
use periapt_model::hook::Limits;
use periapt_model::proxy::ProxySettings;
use periapt_uniter::{ModelIdentity, Process};
use periapt_wire::ApiConnection;
use tokio::sync::watch;

use crate::host::settings::ModelSettings;

/// The node that lends the engine itself, for reports.
pub const ENGINE: &str = "engine";

/// What the process gives to the engines nested in it, for as long as one connection lasts.
#[derive(Clone)]
pub struct HostContext {
    pub model: ModelIdentity,
    /// What each hook may use.
    pub limits: Limits,
    pub connection: ApiConnection,
    pub process: Process,
    pub settings: ModelSettings,
    /// What hooks are told of proxies.
    pub proxies: watch::Receiver<ProxySettings>,
    /// Addresses at which the machines of this process are reached.
    pub addresses: Vec<String>,
    /// What the machine does not give to a process that is to be restricted; empty when it gives all.
    pub lacks: String,
    pub clock: SharedClock,
    pub randomness: SharedRandomness,
}

/// What the engine of one machine is given.
#[derive(Clone)]
pub struct MachineContext {
    pub machine: MachineId,
    pub host: HostContext,
    /// How often the machine had rebooted when this engine first heard of it.
    pub boot: Arc<OnceLock<u64>>,
}

/// Stops an engine that is nested in a worker, and returns when it has ended.
pub(crate) async fn stop_engine(runner: &Runner, id: &str, worker: &WorkerContext) -> WorkerResult {
    match runner.stop_and_remove_worker(id, worker.dying()).await {
        // It may have ended by itself a moment ago.
        Ok(()) | Err(RunnerError::NotFound(_)) => Ok(()),
        Err(RunnerError::Aborted(_)) => Err(WorkerError::Dying),
        Err(error) => Err(error.into()),
    }
}

/// The table.
pub fn manifolds(machine: &MachineContext, engine: &DependencyEngine) -> Manifolds {
    Manifolds::new()
        .add(agent::NAME, agent::manifold(machine))
        .add(ENGINE, engine.self_manifold())
        .add(apicaller::NAME, apicaller::manifold())
        .add(machiner::NAME, machiner::manifold())
        .add(deployer::NAME, deployer::manifold())
        .add(reboot::NAME, reboot::manifold())
        .add(machineactions::NAME, machineactions::manifold())
}

/// Starts the engine of one machine.
///
/// # Errors
/// A table that contradicts itself.
pub fn start(machine: &MachineContext) -> Result<DependencyEngine, InstallError> {
    let machine = &MachineContext {
        boot: Arc::default(),
        ..machine.clone()
    };
    let host = &machine.host;
    let config = EngineConfig::new(format!("machine {}", machine.machine), host.clock.clone())
        .randomness(host.randomness.clone());
    let engine = DependencyEngine::new(config);
    let installed = manifolds(machine, &engine).install(&engine);
    if installed.is_err() {
        engine.kill();
    }
    installed.map(|()| engine)
}
