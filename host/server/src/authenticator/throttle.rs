//! Slows down guessing, along two lines: whoever guesses many accounts from one address, and
//! whoever guesses one account from many addresses. After a number of failures that costs
//! nothing, each further one doubles the time until the next try is looked at.
//!
//! A person's own mistakes are counted for their account at their address, so that a stranger
//! elsewhere does not make them wait. An address from which the account logged in lately is its
//! home: there it does not wait for what others do to the account, nor for what the address does
//! to others, and never long.
//!
//! For agents, whose passwords are random, failures are counted only to tell repetitions apart.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;

use crate::listener::network;

#[cfg(test)]
mod tests;

/// Failures that cost nothing: a person who mistypes.
const FREE: u32 = 5;
/// The same for an address, behind which an office may sit, and for an account as a whole.
const FREE_AT_LARGE: u32 = 20;
const LONGEST: Duration = Duration::from_secs(60);
/// The same where the account is at home.
const LONGEST_AT_HOME: Duration = Duration::from_secs(4);
/// A failure is forgotten after this long without another.
const MEMORY: Duration = Duration::from_secs(600);
/// An address is an account's own for this long after a login.
const OWN: Duration = Duration::from_secs(30 * 24 * 3600);
/// Keys remembered. Beyond it the stalest is forgotten.
const KEYS: usize = 10_000;

/// What failures are counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    AccountAt(String, Option<IpAddr>),
    Address(IpAddr),
    Account(String),
}

impl Key {
    fn free(&self) -> u32 {
        match self {
            Key::AccountAt(..) => FREE,
            Key::Address(_) | Key::Account(_) => FREE_AT_LARGE,
        }
    }
}

/// Where a login comes from, and whose it is to be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Attempt {
    who: String,
    peer: Option<IpAddr>,
    /// Agents have random passwords: there is nothing to guess at large.
    person: bool,
}

impl Attempt {
    pub(super) fn of_person(who: impl ToString, peer: Option<IpAddr>) -> Self {
        Self {
            who: who.to_string(),
            peer: peer.map(network),
            person: true,
        }
    }

    pub(super) fn of_agent(who: impl ToString, peer: Option<IpAddr>) -> Self {
        Self {
            person: false,
            ..Self::of_person(who, peer)
        }
    }

    /// Where it comes from; one network of IPv6 is one address.
    pub(super) fn address(&self) -> Option<IpAddr> {
        self.peer
    }

    fn keys(&self) -> Vec<Key> {
        let mut keys = vec![self.own_key()];
        if self.person {
            keys.extend(self.peer.map(Key::Address));
            keys.push(Key::Account(self.who.clone()));
        }
        keys
    }

    fn own_key(&self) -> Key {
        Key::AccountAt(self.who.clone(), self.peer)
    }
}

pub(super) struct Throttle {
    clock: SharedClock,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    failures: HashMap<Key, Failures>,
    /// Accounts where they logged in, and when.
    own: HashMap<(String, Option<IpAddr>), Duration>,
}

impl Memory {
    fn is_at_home(&self, attempt: &Attempt, now: Duration) -> bool {
        let place = (attempt.who.clone(), attempt.peer);
        self.own.get(&place).is_some_and(|since| now < *since + OWN)
    }
}

struct Failures {
    count: u32,
    last: Duration,
}

impl Throttle {
    pub(super) fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            memory: Mutex::default(),
        }
    }

    /// Whether the account logged in from this address lately.
    pub(super) fn is_at_home(&self, attempt: &Attempt) -> bool {
        self.lock().is_at_home(attempt, self.clock.monotonic())
    }

    /// Refuses with the time still to wait.
    pub(super) fn check(&self, attempt: &Attempt) -> Result<(), Duration> {
        let now = self.clock.monotonic();
        let memory = self.lock();
        let (keys, longest) = match memory.is_at_home(attempt, now) {
            true => (vec![attempt.own_key()], LONGEST_AT_HOME),
            false => (attempt.keys(), LONGEST),
        };
        let wait = keys
            .iter()
            .filter_map(|key| {
                let known = memory.failures.get(key)?;
                (known.last + delay(known.count, key.free()).min(longest)).checked_sub(now)
            })
            .max()
            .unwrap_or_default();
        if wait.is_zero() { Ok(()) } else { Err(wait) }
    }

    pub(super) fn failed(&self, attempt: &Attempt) {
        let now = self.clock.monotonic();
        let mut memory = self.lock();
        for key in attempt.keys() {
            let failures = &mut memory.failures;
            if !failures.contains_key(&key) {
                make_room(failures, now, MEMORY, |known| known.last);
            }
            let known = failures.entry(key).or_insert(Failures {
                count: 0,
                last: now,
            });
            if now >= known.last + MEMORY {
                known.count = 0;
            }
            known.count = known.count.saturating_add(1);
            known.last = now;
        }
    }

    /// Forgives the mistakes made at this address, not what others did to the account, and not
    /// what the address did to others.
    pub(super) fn succeeded(&self, attempt: &Attempt) {
        let now = self.clock.monotonic();
        let mut memory = self.lock();
        let place = (attempt.who.clone(), attempt.peer);
        memory
            .failures
            .remove(&Key::AccountAt(place.0.clone(), place.1));
        if !memory.own.contains_key(&place) {
            make_room(&mut memory.own, now, OWN, |since| *since);
        }
        memory.own.insert(place, now);
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what is old, or else the stalest, once there is too much.
fn make_room<K: Clone + Eq + std::hash::Hash, V>(
    entries: &mut HashMap<K, V>,
    now: Duration,
    memory: Duration,
    last: impl Fn(&V) -> Duration,
) {
    if entries.len() < KEYS {
        return;
    }
    entries.retain(|_, value| now < last(value) + memory);
    if entries.len() >= KEYS
        && let Some(stalest) = entries
            .iter()
            .min_by_key(|(_, value)| last(value))
            .map(|(key, _)| key.clone())
    {
        entries.remove(&stalest);
    }
}

fn delay(count: u32, free: u32) -> Duration {
    if count < free {
        return Duration::ZERO;
    }
    Duration::from_secs(1)
        .saturating_mul(1 << (count - free).min(6))
        .min(LONGEST)
}
