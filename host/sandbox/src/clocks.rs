//! The clocks of guests: both in steps of a millisecond, in hooks as in web workloads.
//!
//! A charm has no need of more, and a finer clock is what it takes to learn from timing what
//! another guest of the same process does. Timers are the runtime's, which go off at whole
//! milliseconds, and a hook sees the times of its files in the same steps.
//!
//! What this does not take away: a guest can count its own steps between two readings, and whoever
//! it exchanges requests with can have any clock.

use std::time::{Duration, Instant, SystemTime};

use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

/// One step.
pub(crate) const STEP: Duration = Duration::from_millis(1);

/// The time of day.
pub struct WallClock;

impl HostWallClock for WallClock {
    fn resolution(&self) -> Duration {
        STEP
    }

    fn now(&self) -> Duration {
        let since_epoch = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        whole_steps(since_epoch)
    }
}

/// Time since the clock was made, which is when its guest began.
pub struct MonotonicClock(Instant);

impl MonotonicClock {
    pub fn begin() -> Self {
        Self(Instant::now())
    }
}

impl HostMonotonicClock for MonotonicClock {
    fn resolution(&self) -> u64 {
        nanoseconds(STEP)
    }

    fn now(&self) -> u64 {
        nanoseconds(whole_steps(self.0.elapsed()))
    }
}

fn whole_steps(time: Duration) -> Duration {
    let beyond = time.subsec_nanos() % STEP.subsec_nanos();
    time - Duration::from_nanos(u64::from(beyond))
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guest_sees_whole_milliseconds() {
        let monotonic = MonotonicClock::begin();
        let mut last = 0;
        for _ in 0..1000 {
            assert_eq!(WallClock.now().subsec_nanos() % 1_000_000, 0);
            let now = monotonic.now();
            assert_eq!(now % 1_000_000, 0);
            assert!(now >= last);
            last = now;
        }
        assert_eq!(WallClock.resolution(), Duration::from_millis(1));
        assert_eq!(monotonic.resolution(), 1_000_000);
        assert_eq!(
            whole_steps(Duration::new(1, 999_999_999)),
            Duration::new(1, 999_000_000)
        );
    }
}
