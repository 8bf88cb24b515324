//! Requests that services answered, counted: how many there were of each class, and how long they took.
//!
//! Counters only grow, from the process that serves up to the controller, which is told all of them each time
//! and adds what they grew by. So whatever is said twice, or not at all once, counts once.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The directory of these files beside `observed`, one for each unit.
pub const FOLDER: &str = "counted";

/// Upper bounds of how long answers took, milliseconds. Those that took longer have a place after the last.
pub const BOUNDS: [u64; 13] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000,
];

/// How a request ended, by the status of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 2xx.
    Success,
    /// 3xx.
    Redirect,
    /// 4xx.
    ClientError,
    /// 5xx, or an answer that was cut off.
    ServerError,
    /// The client left before there was one.
    Left,
}

impl Class {
    /// Of a status, 0 where none was sent, and of whether the workload failed after it.
    pub fn of(status: u16, cut_off: bool) -> Self {
        match status {
            _ if cut_off => Class::ServerError,
            0 => Class::Left,
            1..=299 => Class::Success,
            300..=399 => Class::Redirect,
            400..=499 => Class::ClientError,
            _ => Class::ServerError,
        }
    }
}

/// Requests of a service that are over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Requests {
    pub successes: u64,
    pub redirects: u64,
    pub client_errors: u64,
    pub server_errors: u64,
    pub left: u64,
    /// That all of them took, together.
    pub microseconds: u64,
    /// That the guests which answered them computed, together.
    pub cpu_microseconds: u64,
    /// How many took how long: a number for each of [`BOUNDS`], and one for what is beyond.
    pub buckets: Vec<u64>,
    /// When the last of them ended, seconds since the epoch.
    pub last: i64,
}

impl Requests {
    /// One more.
    pub fn count(&mut self, class: Class, took: Duration, now: i64) {
        let of = match class {
            Class::Success => &mut self.successes,
            Class::Redirect => &mut self.redirects,
            Class::ClientError => &mut self.client_errors,
            Class::ServerError => &mut self.server_errors,
            Class::Left => &mut self.left,
        };
        *of = of.saturating_add(1);
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.microseconds = self.microseconds.saturating_add(took);
        let place = BOUNDS.partition_point(|bound| bound.saturating_mul(1_000) < took);
        self.buckets.resize(BOUNDS.len() + 1, 0);
        if let Some(bucket) = self.buckets.get_mut(place) {
            *bucket = bucket.saturating_add(1);
        }
        self.last = self.last.max(now);
    }

    /// A guest has computed for so long, of a request that is counted by itself.
    pub fn compute(&mut self, cpu: Duration, now: i64) {
        let cpu = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
        self.cpu_microseconds = self.cpu_microseconds.saturating_add(cpu);
        self.last = self.last.max(now);
    }

    pub fn all(&self) -> u64 {
        let parts = self.by_code().into_iter();
        parts.fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    pub fn is_empty(&self) -> bool {
        self.all() == 0 && self.cpu_microseconds == 0
    }

    /// By what is written for each class: `2xx` to `5xx`, and `left`.
    pub fn by_code(&self) -> [(&'static str, u64); 5] {
        [
            ("2xx", self.successes),
            ("3xx", self.redirects),
            ("4xx", self.client_errors),
            ("5xx", self.server_errors),
            ("left", self.left),
        ]
    }

    /// Both together.
    pub fn add(&mut self, other: &Self) {
        *self = self.with(other, u64::saturating_add);
    }

    /// What came after `earlier` was counted.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        self.with(earlier, u64::saturating_sub)
    }

    fn with(&self, other: &Self, both: fn(u64, u64) -> u64) -> Self {
        let bucket = |of: &Self, place: usize| of.buckets.get(place).copied().unwrap_or_default();
        let buckets = 0..=BOUNDS.len();
        Self {
            successes: both(self.successes, other.successes),
            redirects: both(self.redirects, other.redirects),
            client_errors: both(self.client_errors, other.client_errors),
            server_errors: both(self.server_errors, other.server_errors),
            left: both(self.left, other.left),
            microseconds: both(self.microseconds, other.microseconds),
            cpu_microseconds: both(self.cpu_microseconds, other.cpu_microseconds),
            buckets: buckets
                .map(|place| both(bucket(self, place), bucket(other, place)))
                .collect(),
            last: self.last.max(other.last),
        }
    }
}

/// All of a unit: `workloads/counted/docs-0.json` in the directory of its agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counted {
    pub unit: String,
    /// When the counters were zero, milliseconds since the epoch. Another number: they began anew.
    pub begun: u64,
    /// By `CONTAINER/SERVICE`.
    pub services: BTreeMap<String, Requests>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn requests(statuses: &[(u16, bool, u64)]) -> Requests {
        let mut requests = Requests::default();
        for (second, (status, cut_off, took)) in statuses.iter().enumerate() {
            let took = Duration::from_micros(*took);
            requests.count(Class::of(*status, *cut_off), took, second as i64);
            requests.compute(took / 2, second as i64);
        }
        requests
    }

    #[test]
    fn requests_are_counted_by_class_and_by_how_long_they_took() {
        let counted = requests(&[
            (200, false, 900),
            (204, false, 1_000),
            (302, false, 1_001),
            (404, false, 30_000),
            (503, false, 10_000_000),
            (200, true, 11_000_000),
            (0, false, 5),
        ]);
        assert_eq!(
            counted.by_code(),
            [("2xx", 2), ("3xx", 1), ("4xx", 1), ("5xx", 2), ("left", 1)]
        );
        let buckets = [3, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1];
        assert_eq!(counted.buckets, buckets);
        assert_eq!((counted.all(), counted.last), (7, 6));
        assert_eq!(counted.microseconds, 21_032_906);
    }

    proptest! {
        #[test]
        fn what_came_later_is_what_was_added(
            before in prop::collection::vec((0_u16..600, any::<bool>(), 0_u64..20_000_000), 0..20),
            later in prop::collection::vec((0_u16..600, any::<bool>(), 0_u64..20_000_000), 1..20),
        ) {
            let (before, later) = (requests(&before), requests(&later));
            let mut after = before.clone();
            after.add(&later);
            let since = after.since(&before);
            prop_assert_eq!(since.by_code(), later.by_code());
            prop_assert_eq!((since.microseconds, &since.buckets), (later.microseconds, &later.buckets));
            prop_assert_eq!(since.cpu_microseconds, later.cpu_microseconds);
            prop_assert!(before.since(&after).is_empty());
        }
    }
}
