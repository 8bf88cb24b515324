//! What a database measures of itself: how long commits take, how many jobs share one, how long
//! a writer waits, how far the change stream is behind.
//!
//! Measuring is a few atomic additions and never waits. Reading is a copy, so that whoever shows
//! the figures needs nothing of its inside.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::OpenDatabase;
use crate::writer::ROOM;

#[cfg(test)]
mod tests;

/// Upper bounds of seconds: three to a decade, from a tenth of a millisecond to half a minute.
pub const SECONDS: &[f64] = &[
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
    10.0, 30.0,
];

/// Upper bounds of counts, up to the largest batch.
pub const COUNTS: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// A histogram that many may add to at once.
#[derive(Debug)]
pub struct Spread {
    bounds: &'static [f64],
    counts: Box<[AtomicU64]>,
    /// Bits of an `f64`.
    sum: AtomicU64,
}

/// A histogram at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Buckets {
    /// Upper bound and how many fell below it and above the one before; the last is infinite.
    pub buckets: Vec<(f64, u64)>,
    pub sum: f64,
}

impl Spread {
    pub fn new(bounds: &'static [f64]) -> Self {
        Self {
            bounds,
            counts: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            sum: AtomicU64::new(0),
        }
    }

    pub fn add(&self, value: f64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        if let Some(count) = self.counts.get(place) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        let more = |sum: u64| Some((f64::from_bits(sum) + value).to_bits());
        // The closure always answers, so that this cannot fail.
        let _ = self
            .sum
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    pub fn add_time(&self, time: Duration) {
        self.add(time.as_secs_f64());
    }

    pub fn read(&self) -> Buckets {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let counts = self
            .counts
            .iter()
            .map(|count| count.load(Ordering::Relaxed));
        Buckets {
            buckets: bounds.zip(counts).collect(),
            sum: f64::from_bits(self.sum.load(Ordering::Relaxed)),
        }
    }
}

impl Buckets {
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|(_, count)| count).sum()
    }

    /// What came in since `earlier`.
    pub fn since(&self, earlier: &Buckets) -> Buckets {
        let before = |place: usize| earlier.buckets.get(place).map_or(0, |(_, count)| *count);
        Buckets {
            buckets: self
                .buckets
                .iter()
                .enumerate()
                .map(|(place, (bound, count))| (*bound, count.saturating_sub(before(place))))
                .collect(),
            sum: self.sum - earlier.sum,
        }
    }

    /// The value below which the given part of all lies, read off between the bounds; none when
    /// there is nothing. Beyond the last finite bound it is that bound.
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let all = self.count();
        if all == 0 {
            return None;
        }
        let wanted = part * all as f64;
        let (mut below, mut lower) = (0.0, 0.0);
        for (bound, count) in &self.buckets {
            let count = *count as f64;
            if count > 0.0 && below + count >= wanted {
                return Some(if bound.is_finite() {
                    lower + (bound - lower) * ((wanted - below) / count).clamp(0.0, 1.0)
                } else {
                    lower
                });
            }
            below += count;
            if bound.is_finite() {
                lower = *bound;
            }
        }
        Some(lower)
    }
}

/// What was measured since the database was opened.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    pub commits: u64,
    pub jobs: u64,
    /// Statements of all connections, those that only read as well.
    pub statements: u64,
    /// Jobs that wait for the writer, and how many may.
    pub queue: u64,
    pub queue_limit: u64,
    /// Seconds from the decision to commit to the disk's answer.
    pub commit_seconds: Buckets,
    /// Seconds from handing a job over to its answer.
    pub write_seconds: Buckets,
    pub batch_jobs: Buckets,
    /// Seconds from a change's commit to its subscribers.
    pub lag_seconds: Buckets,
    pub subscriptions: u64,
    /// How far the change log has been handed out, and how far this process wrote it.
    pub position: i64,
    pub written: i64,
}

impl OpenDatabase {
    pub fn measures(&self) -> Measures {
        let inner = &self.inner;
        let counters = &inner.counters;
        Measures {
            commits: counters.commits.load(Ordering::Relaxed),
            jobs: counters.jobs.load(Ordering::Relaxed),
            statements: inner.probe.statements.load(Ordering::Relaxed),
            queue: inner.writer.waiting() as u64,
            queue_limit: ROOM as u64,
            commit_seconds: counters.commit_seconds.read(),
            write_seconds: counters.write_seconds.read(),
            batch_jobs: counters.batch_jobs.read(),
            lag_seconds: counters.lag_seconds.read(),
            subscriptions: inner.switchboard.subscriptions() as u64,
            position: inner.switchboard.position(),
            written: counters.written.load(Ordering::Relaxed),
        }
    }
}
