//! The agent process: the engine that holds the connection of one model's agents, and the
//! engines of the machines it hosts nested in it.
//!
//! It reaches the controller only over the API, with a credential of its own; it opens no store
//! and holds no key of the controller. Before it runs the first charm it has given up what it
//! does not need. When the connection is lost everything nested stops and nothing is forgotten:
//! what a unit was doing is recorded in the controller, and what a hook wrote is staged. When
//! its own login is refused it ends for good.

pub mod agent;
pub mod apiaddressupdater;
pub mod apicaller;
pub mod apiconfigwatcher;
mod directories;
pub mod diskmanager;
mod error;
pub mod introspection;
mod kernel_file;
mod leftovers;
pub mod levels;
pub mod log;
pub mod logger;
pub mod logsender;
pub mod machines;
pub mod meterstatus;
pub mod metrics;
mod notices;
mod process;
pub mod proxyupdater;
pub mod settings;
pub mod simplesignalhandler;
pub mod terminationworker;
#[cfg(test)]
pub(crate) mod tests;
pub mod traces;
pub mod traffic;
pub mod workloadlogs;
pub mod workloads;

use std::time::Duration;

use periapt_engine::supervised::mark_ended;
use periapt_engine::{
    Delays, DependencyEngine, EngineConfig, Fatal, Kind, Manifolds, SharedClock, WorkerError,
};

pub use agent::{AgentConf, AgentContext};
pub use apicaller::{Dial, Websocket};
pub use error::AgentError;
pub use process::{AgentOptions, TERMINATED, run, run_process};

/// The node that lends the engine itself, for reports.
pub const ENGINE: &str = "engine";

/// An agent should be back soon after its controller is, so it never waits long between two
/// attempts to connect.
const DELAYS: Delays = Delays {
    error: Duration::from_secs(1),
    max: Duration::from_secs(10),
    ..Delays::DEFAULT
};

/// How long a stopping process waits for its engines: less than the ten seconds after which
/// whoever stops it loses patience.
const STOP: Duration = Duration::from_secs(8);

/// Why an agent process ended in good order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// It was asked to.
    Stopped,
    /// There is nothing left to do for it, ever: its model or its credential is gone, or a person
    /// ended it with SIGABRT.
    Terminated,
    /// A machine that it hosts was shut down, and stays so until a person starts the agent again.
    ShutDown,
}

/// The table.
pub fn manifolds(context: &AgentContext, engine: &DependencyEngine) -> Manifolds {
    Manifolds::new()
        .add(agent::NAME, agent::manifold(context))
        .add(ENGINE, engine.self_manifold())
        .add(terminationworker::NAME, terminationworker::manifold())
        .add(simplesignalhandler::NAME, simplesignalhandler::manifold())
        .add(apiconfigwatcher::NAME, apiconfigwatcher::manifold())
        .add(apicaller::NAME, apicaller::manifold())
        .add(apiaddressupdater::NAME, apiaddressupdater::manifold())
        .add(settings::NAME, settings::manifold())
        .add(proxyupdater::NAME, proxyupdater::manifold())
        .add(logger::NAME, logger::manifold())
        .add(logsender::NAME, logsender::manifold())
        .add(introspection::NAME, introspection::manifold())
        .add(diskmanager::NAME, diskmanager::manifold())
        .add(machines::NAME, machines::manifold())
        .add(workloads::NAME, workloads::manifold())
        .add(workloadlogs::NAME, workloadlogs::manifold())
        .add(traffic::NAME, traffic::manifold())
        .add(metrics::NAME, metrics::manifold())
        .add(meterstatus::NAME, meterstatus::manifold())
        .add(traces::NAME, traces::manifold())
}

/// Runs the engine of the process until it ends.
///
/// # Errors
/// What ended it, other than a request to stop or the end of its entity.
pub async fn run_engine(
    context: AgentContext,
    clock: SharedClock,
) -> Result<ExitReason, AgentError> {
    let engine = DependencyEngine::new(EngineConfig::new("agent", clock.clone()).delays(DELAYS));
    if let Err(error) = manifolds(&context, &engine).install(&engine) {
        engine.kill();
        return Err(AgentError::Engine(WorkerError::other(error)));
    }
    let stopping = context.stopping.clone();
    let ended = tokio::select! {
        result = engine.wait() => exit_reason(result),
        () = async { stopping.cancelled().await; engine.kill(); clock.sleep(STOP).await } => {
            tracing::warn!("some workers did not stop in time and are left behind");
            Ok(ExitReason::Stopped)
        }
    };
    if let Ok(ExitReason::ShutDown) = ended {
        let directory = context.conf.current().directory;
        if let Err(error) = mark_ended(&directory, "the machine was shut down") {
            tracing::error!(%error, "it could not be recorded that the machine is shut down");
        }
    }
    ended
}

fn exit_reason(result: Result<(), WorkerError>) -> Result<ExitReason, AgentError> {
    match result {
        Ok(()) => Ok(ExitReason::Stopped),
        Err(error) if error.kind() == Kind::Fatal(Fatal::TerminateAgent) => {
            Ok(ExitReason::Terminated)
        }
        Err(error) if error.kind() == Kind::Fatal(Fatal::ShutdownMachine) => {
            Ok(ExitReason::ShutDown)
        }
        // Of a reboot too: whoever supervises the process starts it again.
        Err(error) => Err(AgentError::Engine(error)),
    }
}
