//! When the unit's failed hook is run again without being asked: the plan of
//! `periapt_model::uniter::RetrySeries` on the clock, with jitter.

use std::time::Duration;

use periapt_engine::{SharedClock, SharedRandomness};
use periapt_model::uniter::{Attempted, RetryPlan, RetrySeries};
use periapt_wire::agent::retry_strategy::RetryStrategy;

/// The next attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Due {
    /// On the clock's monotonic time.
    pub monotonic: Duration,
    /// Microseconds UTC, for people.
    pub at: i64,
}

pub(crate) struct Retries {
    strategy: RetryStrategy,
    clock: SharedClock,
    randomness: SharedRandomness,
    series: RetrySeries,
    due: Option<Due>,
}

impl Retries {
    pub fn new(strategy: RetryStrategy, clock: SharedClock, randomness: SharedRandomness) -> Self {
        Self {
            strategy,
            clock,
            randomness,
            series: RetrySeries::default(),
            due: None,
        }
    }

    /// It failed: plans the next attempt, if there is to be one.
    pub fn failed(&mut self, what: Attempted) {
        if !self.strategy.should_retry {
            return;
        }
        let plan = RetryPlan {
            shortest: Duration::from_millis(self.strategy.min_retry_ms),
            longest: Duration::from_millis(self.strategy.max_retry_ms),
            factor: self.strategy.factor,
        };
        let jitter = match self.strategy.jitter {
            true => self.randomness.jitter(),
            false => 1.0,
        };
        let wait = self.series.failed(what, &plan).mul_f64(jitter);
        let micros = i64::try_from(wait.as_micros()).unwrap_or(i64::MAX);
        self.due = Some(Due {
            monotonic: self.clock.monotonic() + wait,
            at: self.clock.now().as_microsecond().saturating_add(micros),
        });
    }

    /// The unit rests with a failure of which this agent has not seen the moment: what an agent
    /// that starts finds.
    pub fn rests(&mut self, what: Attempted) {
        if self.due.is_none() {
            self.failed(what);
        }
    }

    /// An attempt begins.
    pub fn begins(&mut self) {
        self.due = None;
    }

    /// What failed is over, or a person said to try again.
    pub fn over(&mut self) {
        self.series.over();
        self.due = None;
    }

    pub fn due(&self) -> Option<Due> {
        self.due
    }
}
