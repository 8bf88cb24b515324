//! What an engine is given: its name, its time, its judgement of errors, its delays.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::SharedClock;
use crate::error::{self, Kind, WorkerError, WorkerResult};
use crate::manifold::{Filter, Name};
use crate::randomness::{Randomness, SharedRandomness, SystemRandomness};

/// Says whether an error ends the whole engine.
pub type IsFatal = Arc<dyn Fn(&WorkerError) -> bool + Send + Sync>;

/// Picks the worse of a new fatal error and the worst one so far.
pub type WorstError = Arc<dyn Fn(WorkerError, Option<WorkerError>) -> WorkerError + Send + Sync>;

/// The configuration of an engine. Cloning it is cheap, so many engines can share one set of
/// closures. None of its functions may call the engine.
#[derive(Clone)]
pub struct EngineConfig {
    /// For reports and logs.
    pub name: Name,
    /// Time for delays and start times.
    pub clock: SharedClock,
    /// Chance for the jitter of delays.
    pub randomness: SharedRandomness,
    /// Ends the engine. Default: the kind is [`Kind::Fatal`].
    pub is_fatal: IsFatal,
    /// Default: [`worst_error`](error::worst_error), by importance.
    pub worst_error: WorstError,
    /// Maps the engine's own end. Default: none.
    pub filter: Option<Filter>,
    /// How long a failed or bounced node waits.
    pub delays: Delays,
}

impl EngineConfig {
    /// The defaults, on the given clock.
    pub fn new(name: impl Into<Name>, clock: SharedClock) -> Self {
        Self {
            name: name.into(),
            clock,
            randomness: Arc::new(SystemRandomness),
            is_fatal: Arc::new(|error| matches!(error.kind(), Kind::Fatal(_))),
            worst_error: Arc::new(error::worst_error),
            filter: None,
            delays: Delays::DEFAULT,
        }
    }

    /// Replaces the source of chance, for example by a seeded one.
    #[must_use]
    pub fn randomness(mut self, randomness: SharedRandomness) -> Self {
        self.randomness = randomness;
        self
    }

    /// Replaces the judgement of what ends the engine.
    #[must_use]
    pub fn fatal_when(
        mut self,
        is_fatal: impl Fn(&WorkerError) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.is_fatal = Arc::new(is_fatal);
        self
    }

    /// Replaces the comparison of fatal errors.
    #[must_use]
    pub fn worst_error(
        mut self,
        worst: impl Fn(WorkerError, Option<WorkerError>) -> WorkerError + Send + Sync + 'static,
    ) -> Self {
        self.worst_error = Arc::new(worst);
        self
    }

    /// Maps the engine's own end.
    #[must_use]
    pub fn filter(
        mut self,
        filter: impl Fn(WorkerError) -> WorkerResult + Send + Sync + 'static,
    ) -> Self {
        self.filter = Some(Arc::new(filter));
        self
    }

    /// Replaces the delays.
    #[must_use]
    pub fn delays(mut self, delays: Delays) -> Self {
        self.delays = delays;
        self
    }
}

/// How long a node waits before it is started again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delays {
    /// After an error.
    pub error: Duration,
    /// After a bounce, and after the engine itself stopped the node.
    pub bounce: Duration,
    /// The growth of both with each recent error.
    pub factor: f64,
    /// A worker that ran at least this long before it failed has its earlier errors forgiven.
    pub reset: Duration,
    /// The growth ends here, before the jitter.
    pub max: Duration,
}

impl Delays {
    /// The delays of Juju's agents.
    pub const DEFAULT: Self = Self {
        error: Duration::from_secs(3),
        bounce: Duration::from_millis(10),
        factor: 1.2,
        reset: Duration::from_secs(60),
        max: Duration::from_secs(120),
    };

    /// `base` grown by the recent errors, capped, then spread by the jitter. The exponent is
    /// `recent_errors - 1`: below zero after a clean end, zero after an abort, so that an input
    /// that comes back during a long wait shortens it.
    pub(super) fn real(
        &self,
        base: Duration,
        recent_errors: u32,
        randomness: &dyn Randomness,
    ) -> Duration {
        if base.is_zero() {
            return base;
        }
        let exponent = i32::try_from(recent_errors)
            .unwrap_or(i32::MAX)
            .saturating_sub(1);
        let grown = base.as_secs_f64() * self.factor.powi(exponent);
        let capped = grown.min(self.max.as_secs_f64());
        Duration::try_from_secs_f64(capped * randomness.jitter()).unwrap_or(self.max)
    }
}

impl Default for Delays {
    fn default() -> Self {
        Self::DEFAULT
    }
}
