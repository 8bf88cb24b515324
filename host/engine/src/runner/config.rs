//! What a runner is given: its name, its time, its judgement of errors.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::SharedClock;
use crate::error::{self, WorkerError};
use crate::manifold::Name;

pub(super) type Judgement = Arc<dyn Fn(&WorkerError) -> bool + Send + Sync>;
pub(super) type Worst = Arc<dyn Fn(WorkerError, Option<WorkerError>) -> WorkerError + Send + Sync>;

/// The configuration of a runner.
#[derive(Clone)]
pub struct RunnerConfig {
    pub(super) name: Name,
    pub(super) clock: SharedClock,
    pub(super) is_fatal: Judgement,
    pub(super) should_restart: Judgement,
    pub(super) worst: Worst,
    pub(super) restart_delay: Duration,
}

impl RunnerConfig {
    /// The defaults: every error is fatal, every other one is worth a restart, after 3 s.
    pub fn new(name: impl Into<Name>, clock: SharedClock) -> Self {
        Self {
            name: name.into(),
            clock,
            is_fatal: Arc::new(|_| true),
            should_restart: Arc::new(|_| true),
            worst: Arc::new(error::worst_error),
            restart_delay: Duration::from_secs(3),
        }
    }

    /// No error stops the runner.
    #[must_use]
    pub fn never_fatal(self) -> Self {
        self.fatal_when(|_| false)
    }

    /// Says which errors stop the runner.
    #[must_use]
    pub fn fatal_when(
        mut self,
        is_fatal: impl Fn(&WorkerError) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.is_fatal = Arc::new(is_fatal);
        self
    }

    /// Says after which errors a worker is started again rather than removed.
    #[must_use]
    pub fn restart_when(
        mut self,
        should_restart: impl Fn(&WorkerError) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.should_restart = Arc::new(should_restart);
        self
    }

    /// Replaces the comparison of fatal errors, by default that of their importance.
    #[must_use]
    pub fn worst_error(
        mut self,
        worst: impl Fn(WorkerError, Option<WorkerError>) -> WorkerError + Send + Sync + 'static,
    ) -> Self {
        self.worst = Arc::new(worst);
        self
    }

    /// How long a failed worker waits for its restart: constant, without jitter.
    #[must_use]
    pub fn restart_delay(mut self, delay: Duration) -> Self {
        self.restart_delay = delay;
        self
    }
}
