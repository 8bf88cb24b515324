//! The dependency engine: keeps a set of nodes running, each as long as its inputs allow.
//!
//! The life of a node. It is installed under a name and at once asked to start. Its start gets a
//! snapshot of its inputs as they are at that moment, absent ones included, and answers with a
//! worker or an error. When a worker has started, everything that depends on it is restarted; when
//! it has stopped, likewise, and the dependents find it missing and rest. What happens to the node
//! itself depends on how it ended: a clean end, a missing input or an aborted start lets it rest
//! until an input changes; a bounce brings it back at once; an uninstall removes it; any other
//! error brings it back after a delay that grows with each failure. A node which the engine itself
//! stopped is always started again. A fatal error stops the engine, and the worst of those seen is
//! the engine's own end.
//!
//! What the engine never does: it checks no worker's health, limits no parallelism, stops nodes in
//! no particular order, and knows no optional inputs (a start that can do without one just ignores
//! that it is missing).
//!
//! Why this shape: the rules are a plain state machine in `state`, which neither waits nor calls
//! out; each event is one short critical section on it, and what follows from it (kill this, start
//! that) is done afterwards by `run`. There is no task for the engine itself, so one at rest costs
//! only its memory, a report is answered without waiting, also by an engine nested in another, and
//! it can still be asked after death.

mod config;
mod report;
mod run;
mod state;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::Value;
use tokio::sync::SetOnce;

use crate::error::WorkerResult;
use crate::manifold::{Manifold, Name};
use crate::panics::lock;
use crate::worker::{Outputs, SharedWorker, Worker};

pub use config::{Delays, EngineConfig};
pub use report::{EngineReport, EngineState, NodeReport, NodeState};
use run::Effects;
use state::State;

/// A handle to an engine. Clones are the same engine; dropping them all does not stop it. It is a
/// worker itself, so that engines nest.
#[derive(Clone)]
pub struct DependencyEngine {
    shared: Arc<Shared>,
}

struct Shared {
    config: EngineConfig,
    state: Mutex<State>,
    dead: SetOnce<WorkerResult>,
}

/// Why a node was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The name is taken.
    #[error("{0} is already installed")]
    Duplicate(Name),
    /// The new node would, through its inputs, need itself.
    #[error("{0} would depend on itself")]
    Cycle(Name),
    /// The engine is stopping or has stopped.
    #[error("engine is shutting down")]
    Dying,
}

impl InstallError {
    /// A stable name, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Duplicate(_) => "duplicate",
            Self::Cycle(_) => "cycle",
            Self::Dying => "dying",
        }
    }
}

impl DependencyEngine {
    /// An engine without nodes, running.
    #[must_use]
    pub fn new(config: EngineConfig) -> Self {
        let shared = Shared {
            config,
            state: Mutex::default(),
            dead: SetOnce::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Adds a node and asks it to start. Inputs may be installed later. Must be called within a
    /// tokio runtime.
    ///
    /// # Errors
    /// See [`InstallError`]; then nothing has changed.
    pub fn install(&self, name: impl Into<Name>, manifold: Manifold) -> Result<(), InstallError> {
        self.install_all([(name.into(), manifold)])
    }

    /// Adds nodes in order. None of them starts before all are there, so that one that ends the
    /// engine at once cannot have the rest refused.
    pub(crate) fn install_all(
        &self,
        rows: impl IntoIterator<Item = (Name, Manifold)>,
    ) -> Result<(), InstallError> {
        self.apply(|state, config, effects| {
            rows.into_iter()
                .try_for_each(|(name, manifold)| state.install(name, manifold, config, effects))
        })
    }

    /// Asks all nodes to stop, all at once.
    pub fn kill(&self) {
        self.apply(|state, _, effects| state.kill(effects));
    }

    /// Waits until all nodes have stopped.
    ///
    /// # Errors
    /// The worst of the fatal errors seen, passed through the engine's filter.
    pub async fn wait(&self) -> WorkerResult {
        self.shared.dead.wait().await.clone()
    }

    /// How things stand, now or, after death, at the end.
    #[must_use]
    pub fn report(&self) -> EngineReport {
        let snapshot = lock(&self.shared.state).snapshot();
        snapshot.into_report(&self.shared.config.name)
    }

    /// A row whose worker is this engine, so that its nodes can install further nodes. It lends
    /// the [`DependencyEngine`]; killing it kills the engine, and the engine's end does not wait
    /// for it.
    #[must_use]
    pub fn self_manifold(&self) -> Manifold {
        let engine = self.clone();
        let mut manifold = Manifold::new(move |_| {
            let worker: SharedWorker = Arc::new(SelfWorker {
                engine: engine.clone(),
            });
            async move { Ok(worker) }
        });
        manifold.is_engine = true;
        manifold
    }

    /// One event: the state machine decides, and the effects follow outside the lock.
    fn apply<T>(&self, event: impl FnOnce(&mut State, &EngineConfig, &mut Effects) -> T) -> T {
        let mut effects = Effects::default();
        let answer = event(
            &mut lock(&self.shared.state),
            &self.shared.config,
            &mut effects,
        );
        effects.carry_out(self);
        answer
    }
}

#[async_trait]
impl Worker for DependencyEngine {
    fn kill(&self) {
        Self::kill(self);
    }

    async fn wait(&self) -> WorkerResult {
        Self::wait(self).await
    }

    fn report(&self) -> Value {
        serde_json::to_value(Self::report(self)).unwrap_or(Value::Null)
    }
}

/// The engine as a worker of its own node. It reports nothing, or reports would not end.
struct SelfWorker {
    engine: DependencyEngine,
}

#[async_trait]
impl Worker for SelfWorker {
    fn kill(&self) {
        self.engine.kill();
    }

    async fn wait(&self) -> WorkerResult {
        self.engine.wait().await
    }

    fn outputs(&self) -> Outputs {
        Outputs::of(self.engine.clone())
    }
}
