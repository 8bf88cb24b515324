//! What the services of all models answered and how they are, as the store knows it at this moment.
//!
//! A unit has its series from the first request on, and services and checks from when they are first seen; how long
//! answers took is told of applications only, since each has as many series as there are bounds. Requests of units
//! that are gone stay in those of their application, so that these never shrink.

use std::fmt::Error;

use periapt_model::workload::service::Current;
use periapt_model::workload::traffic::{BOUNDS, Requests};
use periapt_store::{SeenContainer, Served, Store, StoreError};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

#[derive(Debug, Default)]
pub(super) struct Workloads {
    served: Served,
    containers: Vec<SeenContainer>,
}

impl Workloads {
    pub async fn read(store: &Store) -> Result<Self, StoreError> {
        Ok(Self {
            served: store.served().await?,
            containers: store.seen_containers().await?,
        })
    }

    /// Each service, or each check, with its labels.
    fn each<T>(
        &self,
        parts: impl Fn(&SeenContainer) -> Vec<(String, T)>,
        mut each: impl FnMut(&[(&str, &str); 4], T) -> Result<(), Error>,
        kind: &'static str,
    ) -> Result<(), Error> {
        for container in &self.containers {
            let application = container.unit.application();
            for (name, value) in parts(container) {
                let name = format!("{}/{name}", container.container);
                let labels = [
                    ("model", container.model.as_str()),
                    ("application", application.as_str()),
                    ("unit", container.unit.as_str()),
                    (kind, name.as_str()),
                ];
                each(&labels, value)?;
            }
        }
        Ok(())
    }

    fn requests(&self, e: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut family = e.encode_descriptor(
            "service_requests",
            "Requests that services of units answered",
            None,
            MetricType::Counter,
        )?;
        for served in &self.served.units {
            let application = served.unit.application();
            for (code, count) in served.requests.by_code() {
                if count == 0 {
                    continue;
                }
                let labels = [
                    ("model", served.model.as_str()),
                    ("application", application.as_str()),
                    ("unit", served.unit.as_str()),
                    ("code", code),
                ];
                ConstCounter::new(count).encode(family.encode_family(&labels)?)?;
            }
        }
        let mut family = e.encode_descriptor(
            "service_cpu_seconds",
            "Time that the web workloads of units computed",
            None,
            MetricType::Counter,
        )?;
        for served in &self.served.units {
            let application = served.unit.application();
            let labels = [
                ("model", served.model.as_str()),
                ("application", application.as_str()),
                ("unit", served.unit.as_str()),
            ];
            let seconds = served.requests.cpu_microseconds as f64 / 1e6;
            ConstCounter::new(seconds).encode(family.encode_family(&labels)?)?;
        }
        let mut family = e.encode_descriptor(
            "service_request_seconds",
            "Time until the answer of a service was whole",
            None,
            MetricType::Histogram,
        )?;
        for (model, application, requests) in &self.served.applications {
            let labels = [
                ("model", model.as_str()),
                ("application", application.as_str()),
            ];
            histogram(family.encode_family(&labels)?, requests)?;
        }
        Ok(())
    }

    fn services(&self, e: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut family = e.encode_descriptor(
            "service_up",
            "Whether a service is active",
            None,
            MetricType::Gauge,
        )?;
        let up = |container: &SeenContainer| {
            let services = container.seen.services.iter();
            let up = services.map(|(name, seen)| (name.clone(), seen.current == Current::Active));
            up.collect()
        };
        self.each(
            up,
            |labels, up| ConstGauge::new(u64::from(up)).encode(family.encode_family(labels)?),
            "service",
        )?;
        let mut family = e.encode_descriptor(
            "service_restarts",
            "How often a service was started again after it ended",
            None,
            MetricType::Counter,
        )?;
        let restarts = |container: &SeenContainer| {
            let services = container.seen.services.iter();
            services
                .map(|(name, seen)| (name.clone(), u64::from(seen.restarts)))
                .collect()
        };
        self.each(
            restarts,
            |labels, restarts| ConstCounter::new(restarts).encode(family.encode_family(labels)?),
            "service",
        )
    }

    fn checks(&self, e: &mut DescriptorEncoder<'_>) -> Result<(), Error> {
        use periapt_model::workload::check::Status;
        let mut family = e.encode_descriptor(
            "check_up",
            "Whether a check of a unit is up",
            None,
            MetricType::Gauge,
        )?;
        let up = |container: &SeenContainer| {
            let checks = container.seen.checks.iter();
            // One that was stopped is neither.
            let known = checks.filter(|(_, seen)| seen.status != Status::Inactive);
            known
                .map(|(name, seen)| (name.clone(), seen.status == Status::Up))
                .collect()
        };
        self.each(
            up,
            |labels, up| ConstGauge::new(u64::from(up)).encode(family.encode_family(labels)?),
            "check",
        )
    }
}

impl Collector for Workloads {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        self.requests(&mut encoder)?;
        self.services(&mut encoder)?;
        self.checks(&mut encoder)
    }
}

fn histogram(mut encoder: MetricEncoder<'_>, requests: &Requests) -> Result<(), Error> {
    let bounds = BOUNDS.iter().map(|bound| *bound as f64 / 1_000.0);
    let bounds = bounds.chain([f64::INFINITY]);
    let counts = requests.buckets.iter().copied();
    let buckets: Vec<(f64, u64)> = bounds.zip(counts).collect();
    let sum = requests.microseconds as f64 / 1e6;
    encoder.encode_histogram::<NoLabelSet>(sum, requests.all(), &buckets, None)
}
