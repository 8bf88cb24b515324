//! Slows down guessing: after a few failures for one name from one address, each further one
//! doubles the time until the next try is looked at. Keyed by both, so that a stranger cannot
//! lock a person out from elsewhere.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;

#[cfg(test)]
mod tests;

/// Failures that cost nothing: a person who mistypes.
const FREE: u32 = 5;
const LONGEST: Duration = Duration::from_secs(60);
/// A failure is forgotten after this long without another.
const MEMORY: Duration = Duration::from_secs(600);
/// Keys remembered. Beyond it the stalest is forgotten.
const KEYS: usize = 10_000;

pub(super) struct Throttle {
    clock: SharedClock,
    failures: Mutex<HashMap<(String, Option<IpAddr>), Failures>>,
}

struct Failures {
    count: u32,
    last: Duration,
}

impl Throttle {
    pub(super) fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            failures: Mutex::default(),
        }
    }

    /// Refuses with the time still to wait.
    pub(super) fn check(&self, who: &str, peer: Option<IpAddr>) -> Result<(), Duration> {
        let now = self.clock.monotonic();
        let failures = self.lock();
        let Some(known) = failures.get(&(who.to_owned(), peer)) else {
            return Ok(());
        };
        let free_at = known.last + delay(known.count);
        if now < free_at {
            Err(free_at - now)
        } else {
            Ok(())
        }
    }

    pub(super) fn failed(&self, who: &str, peer: Option<IpAddr>) {
        let now = self.clock.monotonic();
        let mut failures = self.lock();
        if failures.len() >= KEYS {
            failures.retain(|_, known| now < known.last + MEMORY);
        }
        if failures.len() >= KEYS
            && let Some(stalest) = failures
                .iter()
                .min_by_key(|(_, known)| known.last)
                .map(|(key, _)| key.clone())
        {
            failures.remove(&stalest);
        }
        let known = failures.entry((who.to_owned(), peer)).or_insert(Failures {
            count: 0,
            last: now,
        });
        if now >= known.last + MEMORY {
            known.count = 0;
        }
        known.count = known.count.saturating_add(1);
        known.last = now;
    }

    pub(super) fn succeeded(&self, who: &str, peer: Option<IpAddr>) {
        self.lock().remove(&(who.to_owned(), peer));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, Option<IpAddr>), Failures>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn delay(count: u32) -> Duration {
    if count < FREE {
        return Duration::ZERO;
    }
    Duration::from_secs(1)
        .saturating_mul(1 << (count - FREE).min(6))
        .min(LONGEST)
}
