//! The figures of the last hour: a sample every ten seconds, kept in memory only.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use periapt_store::Buckets;
use periapt_wire::rest::Figures;

use super::{Metrics, lock, process};
use crate::introspection::Introspection;

/// Time between two samples.
pub const STEP: Duration = Duration::from_secs(10);
/// Samples of an hour.
const KEPT: usize = 360;

/// Names of the series and what their numbers are, in the order of a sample's values.
const SERIES: [(&str, &str); 15] = [
    ("requests-per-second", "per-second"),
    ("request-p99-seconds", "seconds"),
    ("failed-requests-per-second", "per-second"),
    ("calls-per-second", "per-second"),
    ("call-p99-seconds", "seconds"),
    ("commits-per-second", "per-second"),
    ("commit-p99-seconds", "seconds"),
    ("hooks-per-second", "per-second"),
    ("hook-p99-seconds", "seconds"),
    ("change-lag-p99-seconds", "seconds"),
    ("writer-queue", "count"),
    ("connections", "count"),
    ("watchers", "count"),
    ("resident-bytes", "bytes"),
    ("cpu-cores", "cores"),
];

type Sample = [Option<f64>; SERIES.len()];

/// What is counted from the start on, at one moment.
#[derive(Clone, Default)]
struct Totals {
    /// Monotonic.
    at: Duration,
    requests: Buckets,
    failed: u64,
    calls: Buckets,
    commits: Buckets,
    hooks: Buckets,
    lag: Buckets,
    cpu_seconds: Option<f64>,
}

/// The samples.
#[derive(Default)]
pub(super) struct History {
    last: Option<Totals>,
    samples: VecDeque<(i64, Sample)>,
}

impl History {
    pub(super) fn figures(&self) -> Figures {
        let series = SERIES.iter().enumerate().map(|(place, (name, _))| {
            let values = self.samples.iter().map(|(_, sample)| sample[place]);
            ((*name).to_owned(), values.collect())
        });
        Figures {
            step: STEP.as_secs(),
            times: self.samples.iter().map(|(time, _)| *time).collect(),
            series: series.collect(),
            units: SERIES
                .iter()
                .map(|(name, unit)| ((*name).to_owned(), (*unit).to_owned()))
                .collect(),
        }
    }

    fn push(&mut self, time: i64, sample: Sample) {
        if self.samples.len() >= KEPT {
            self.samples.pop_front();
        }
        self.samples.push_back((time, sample));
    }
}

impl Metrics {
    /// Takes a sample every [`STEP`]; never ends.
    pub async fn keep_figures(&self, sources: &Introspection) {
        loop {
            self.sample(sources);
            self.inner.clock.sleep(STEP).await;
        }
    }

    /// Takes one sample. The first only tells where to count from.
    pub fn sample(&self, sources: &Introspection) {
        let store = sources.store.measures();
        let process = process::read();
        let totals = &self.inner.totals;
        let now = Totals {
            at: self.inner.clock.monotonic(),
            requests: totals.request_seconds.read(),
            failed: totals.failed_requests.load(Ordering::Relaxed),
            calls: totals.call_seconds.read(),
            commits: store.commit_seconds,
            hooks: totals.hook_seconds.read(),
            lag: store.lag_seconds,
            cpu_seconds: process.cpu_seconds,
        };
        let mut history = lock(&self.inner.history);
        let Some(before) = history.last.replace(now.clone()) else {
            return;
        };
        let seconds = now.at.saturating_sub(before.at).as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let requests = now.requests.since(&before.requests);
        let calls = now.calls.since(&before.calls);
        let commits = now.commits.since(&before.commits);
        let hooks = now.hooks.since(&before.hooks);
        let lag = now.lag.since(&before.lag);
        let rate = |buckets: &Buckets| Some(buckets.count() as f64 / seconds);
        let cores = now
            .cpu_seconds
            .zip(before.cpu_seconds)
            .map(|(now, before)| (now - before).max(0.0) / seconds);
        let sample = [
            rate(&requests),
            requests.quantile(0.99),
            Some(now.failed.saturating_sub(before.failed) as f64 / seconds),
            rate(&calls),
            calls.quantile(0.99),
            rate(&commits),
            commits.quantile(0.99),
            rate(&hooks),
            hooks.quantile(0.99),
            lag.quantile(0.99),
            Some(store.queue as f64),
            Some(self.open_connections() as f64),
            Some(self.open_watchers() as f64),
            process.resident_bytes.map(|bytes| bytes as f64),
            cores,
        ];
        history.push(self.inner.clock.now().as_microsecond(), sample);
    }
}
