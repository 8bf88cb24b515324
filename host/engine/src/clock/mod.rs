//! Time as a value that is handed in.
//!
//! Every wait of this crate, and of every worker built on it, goes through a [`Clock`], so that a
//! test can hold time still and move it by hand with [`FakeClock`]. A clock starts no task of its
//! own, and nothing is registered anywhere while nobody sleeps.

mod fake;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::race::before;

pub use fake::FakeClock;

/// A source of time. `now` is for people and records, `monotonic` for measuring and waiting.
pub trait Clock: Send + Sync + 'static {
    /// The wall clock. It may jump when the machine's time is corrected.
    fn now(&self) -> Timestamp;

    /// Time since this clock was made. It never goes back.
    fn monotonic(&self) -> Duration;

    /// Ends once `duration` has passed; dropping the future ends the sleep. A zero duration is
    /// over at once.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// The form in which a clock is passed around.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's own time, with the sleeps of the tokio runtime.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// The same, ready to be passed around.
    #[must_use]
    pub fn shared() -> SharedClock {
        Arc::new(Self::new())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        if duration.is_zero() {
            // The runtime's timer would round it up to a millisecond.
            return Box::pin(std::future::ready(()));
        }
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Ends at `due` of the clock's monotonic time, at once if that is past; never where there is none.
pub fn until(clock: &dyn Clock, due: Option<Duration>) -> BoxFuture<'static, ()> {
    match due {
        Some(due) => clock.sleep(due.saturating_sub(clock.monotonic())),
        None => Box::pin(std::future::pending()),
    }
}

/// Runs `work` for at most `limit` of the clock's time; `None` when the limit came first, and then
/// `work` is dropped. Work that is ready at once wins even over a zero limit.
pub fn timeout<F: Future>(
    clock: &dyn Clock,
    limit: Duration,
    work: F,
) -> impl Future<Output = Option<F::Output>> {
    before(work, move || clock.sleep(limit))
}
