//! Virtual time that passes only when nothing else happens.
//!
//! Agents, store and sandbox use threads and sockets, so nobody can know for certain that all
//! of them rest. They count as resting when the model has looked the same for a few real
//! milliseconds; then the clock moves to the next sleeper, but by a second at most, so that an
//! answer that is still on its way meets no deadline by mistake.

use std::time::{Duration, Instant};

use periapt_engine::FakeClock;

/// Virtual time that a wait takes at most: an hour, in which every timer of a model has fired.
pub const PATIENCE: Duration = Duration::from_secs(3600);
/// Between two looks at the model.
pub const LOOK: Duration = Duration::from_millis(2);
/// Without a change for so long, time passes.
pub const STILL: Duration = Duration::from_millis(12);
/// The longest jump.
const JUMP: Duration = Duration::from_secs(1);

/// Lets virtual time pass for one wait.
pub struct Passing<'a> {
    clock: &'a FakeClock,
    since: Instant,
    /// Virtual time that may pass before the wait is given up.
    left: Duration,
}

impl<'a> Passing<'a> {
    pub fn new(clock: &'a FakeClock, limit: Duration) -> Self {
        Self {
            clock,
            since: Instant::now(),
            left: limit,
        }
    }

    /// Waits for the next look. `changed` says whether the last one saw something new. False
    /// when the time is up.
    pub async fn pass(&mut self, changed: bool) -> bool {
        if changed {
            self.since = Instant::now();
        } else if self.since.elapsed() >= STILL {
            let step = self.clock.next_wake().unwrap_or(JUMP).min(JUMP);
            if step > self.left {
                return false;
            }
            self.left -= step;
            self.clock.advance(step);
            self.since = Instant::now();
        }
        tokio::time::sleep(LOOK).await;
        true
    }
}
