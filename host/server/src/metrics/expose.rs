//! The text of `/metrics`: the registry, and what others know at this moment.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Error;

use periapt_engine::{EngineReport, NodeState};
use periapt_store::{Buckets, Measures};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::charms::Charms;
use super::process::{self, ProcessFigures};
use super::workloads::Workloads;
use super::{Metrics, lock};
use crate::introspection::Introspection;

/// The content type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

impl Metrics {
    /// Everything, as OpenMetrics text. A part that cannot be read is left out, and
    /// `periapt_metrics_complete` says so.
    pub async fn expose(&self, sources: &Introspection) -> String {
        let applications = sources.store.application_names().await;
        if let Ok(applications) = &applications {
            self.retain(applications);
        }
        let leases = sources.leases.leases().await;
        let workloads = Workloads::read(&sources.store).await;
        let now = self.inner.clock.now().as_second();
        let charms = sources.store.exposed_metrics(now).await;
        let (controller, models) = sources.own_engines().await;
        let mut workers = Workers::default();
        controller
            .iter()
            .for_each(|report| workers.add("controller", report));
        models
            .values()
            .for_each(|report| workers.add("model", report));
        let seen = Seen {
            complete: applications.is_ok() && leases.is_ok() && workloads.is_ok() && charms.is_ok(),
            applications: applications.map_or(0, |names| names.len()) as u64,
            leases: leases.map_or(0, |leases| leases.len()) as u64,
            lease_counts: sources.leases.report(),
            agents: sources.presence.report().len() as u64,
            agent_connections: sources
                .presence
                .report()
                .iter()
                .map(|(_, agent)| agent.connections as u64)
                .sum(),
            database: sources.store.database_kind(),
            store: sources.store.measures(),
            workers,
        };
        let mut now = Registry::with_prefix("periapt");
        now.register_collector(Box::new(seen));
        now.register_collector(Box::new(workloads.unwrap_or_default()));
        now.register_collector(Box::new(Charms(charms.unwrap_or_default())));
        let mut process = Registry::with_prefix("process");
        process.register_collector(Box::new(Process {
            figures: process::read(),
            started_at: self.inner.started_at as f64 / 1e6,
        }));
        let mut text = String::new();
        // Writing to a string cannot fail, and the names are ours.
        let _ = encode_registry(&mut text, &self.inner.registry)
            .and_then(|()| encode_registry(&mut text, &now))
            .and_then(|()| encode_registry(&mut text, &process))
            .and_then(|()| encode_eof(&mut text));
        text
    }

    pub(super) fn open_connections(&self) -> i64 {
        self.inner.connections.get()
    }

    pub(super) fn open_watchers(&self) -> i64 {
        self.inner.watchers.get()
    }

    /// The figures of the last hour.
    pub fn figures(&self) -> periapt_wire::rest::Figures {
        lock(&self.inner.history).figures()
    }
}

struct Seen {
    complete: bool,
    applications: u64,
    leases: u64,
    lease_counts: serde_json::Value,
    agents: u64,
    agent_connections: u64,
    database: &'static str,
    store: Measures,
    workers: Workers,
}

impl fmt::Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seen")
    }
}

impl Collector for Seen {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let e = &mut encoder;
        let build = [
            ("version", env!("CARGO_PKG_VERSION")),
            ("database", self.database),
        ];
        e.encode_descriptor("build", "What runs", None, MetricType::Info)?
            .encode_info(&build)?;
        gauge(
            e,
            "metrics_complete",
            "Whether everything could be read",
            u64::from(self.complete),
        )?;
        gauge(
            e,
            "applications",
            "Applications of all models",
            self.applications,
        )?;
        gauge(e, "leases", "Leases that are held", self.leases)?;
        let count = |name: &str| {
            self.lease_counts
                .get(name)
                .and_then(serde_json::Value::as_u64)
        };
        counter(
            e,
            "lease_claims",
            "Claims and extensions of leases",
            count("claims").unwrap_or(0),
        )?;
        counter(
            e,
            "lease_claims_denied",
            "Claims of leases held by others",
            count("denied").unwrap_or(0),
        )?;
        gauge(
            e,
            "lease_waiters",
            "Who waits for a lease",
            count("waiting").unwrap_or(0),
        )?;
        gauge(
            e,
            "agents_present",
            "Models whose agent is connected",
            self.agents,
        )?;
        gauge(
            e,
            "agent_connections",
            "Connections of agents",
            self.agent_connections,
        )?;
        self.store(e)?;
        self.workers(e)
    }
}

impl Seen {
    fn store(&self, e: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let store = &self.store;
        counter(e, "store_commits", "Transactions committed", store.commits)?;
        counter(e, "store_jobs", "Writes committed", store.jobs)?;
        counter(e, "store_statements", "Statements run", store.statements)?;
        gauge(
            e,
            "store_queue",
            "Writes that wait for the writer",
            store.queue,
        )?;
        gauge(
            e,
            "store_queue_limit",
            "Writes that may wait",
            store.queue_limit,
        )?;
        gauge(
            e,
            "store_subscriptions",
            "Subscriptions of the change stream",
            store.subscriptions,
        )?;
        gauge(
            e,
            "change_stream_backlog",
            "Places of the change log not handed out yet",
            u64::try_from(store.written - store.position).unwrap_or(0),
        )?;
        histogram(
            e,
            "store_commit_seconds",
            "Time of a commit, the sync of the disk included",
            &store.commit_seconds,
        )?;
        histogram(
            e,
            "store_write_seconds",
            "Time of a write, waiting for the writer included",
            &store.write_seconds,
        )?;
        histogram(
            e,
            "store_batch_jobs",
            "Writes that share a commit",
            &store.batch_jobs,
        )?;
        histogram(
            e,
            "change_stream_lag_seconds",
            "Time from a change's commit to its subscribers",
            &store.lag_seconds,
        )
    }

    fn workers(&self, e: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut running = e.encode_descriptor(
            "workers_running",
            "Workers that run in this process",
            None,
            MetricType::Gauge,
        )?;
        for ((agent, worker), (count, _)) in &self.workers.0 {
            let labels = [("agent", *agent), ("worker", worker.as_str())];
            ConstGauge::new(*count).encode(running.encode_family(&labels)?)?;
        }
        let mut starts = e.encode_descriptor(
            "worker_starts",
            "Starts of workers of this process",
            None,
            MetricType::Counter,
        )?;
        for ((agent, worker), (_, count)) in &self.workers.0 {
            let labels = [("agent", *agent), ("worker", worker.as_str())];
            ConstCounter::new(*count).encode(starts.encode_family(&labels)?)?;
        }
        Ok(())
    }
}

/// By kind of engine and node: how many run, and how often they were started.
#[derive(Default)]
struct Workers(BTreeMap<(&'static str, String), (u64, u64)>);

impl Workers {
    fn add(&mut self, agent: &'static str, report: &EngineReport) {
        for (name, node) in &report.manifolds {
            let (running, starts) = self.0.entry((agent, name.clone())).or_default();
            *running += u64::from(node.state == NodeState::Started);
            *starts += node.start_count;
        }
    }
}

#[derive(Debug)]
struct Process {
    figures: ProcessFigures,
    started_at: f64,
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let e = &mut encoder;
        let figures = &self.figures;
        if let Some(bytes) = figures.resident_bytes {
            gauge(e, "resident_memory_bytes", "Memory in use", bytes)?;
        }
        if let Some(seconds) = figures.cpu_seconds {
            let counter = ConstCounter::new(seconds);
            let encoder = e.encode_descriptor(
                "cpu_seconds",
                "Processor time used",
                None,
                MetricType::Counter,
            )?;
            counter.encode(encoder)?;
        }
        if let Some(threads) = figures.threads {
            gauge(e, "threads", "Threads", threads)?;
        }
        if let Some(open) = figures.open_files {
            gauge(e, "open_fds", "Open files and sockets", open)?;
        }
        if let Some(most) = figures.max_files {
            gauge(e, "max_fds", "Files and sockets that may be open", most)?;
        }
        let started = ConstGauge::new(self.started_at);
        let encoder = e.encode_descriptor(
            "start_time_seconds",
            "When it started",
            None,
            MetricType::Gauge,
        )?;
        started.encode(encoder)
    }
}

fn gauge(e: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> Result<(), Error> {
    let encoder = e.encode_descriptor(name, help, None, MetricType::Gauge)?;
    ConstGauge::new(value).encode(encoder)
}

fn counter(e: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> Result<(), Error> {
    let encoder = e.encode_descriptor(name, help, None, MetricType::Counter)?;
    ConstCounter::new(value).encode(encoder)
}

fn histogram(
    e: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    read: &Buckets,
) -> Result<(), Error> {
    let mut encoder = e.encode_descriptor(name, help, None, MetricType::Histogram)?;
    encoder.encode_histogram::<NoLabelSet>(read.sum, read.count(), &read.buckets, None)
}
