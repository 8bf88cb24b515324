//! What charms measured, as `/metrics` shows it: the newest of each, until it is stale.

use std::fmt;

use periapt_store::ExposedMetric;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;

/// All of them.
pub(super) struct Charms(pub Vec<ExposedMetric>);

impl fmt::Debug for Charms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charms({})", self.0.len())
    }
}

impl Collector for Charms {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut family = encoder.encode_descriptor(
            "charm_metric",
            "What charms measured of their units",
            None,
            MetricType::Gauge,
        )?;
        for one in &self.0 {
            let application = one.unit.application();
            let mut labels = vec![
                ("model", one.model.as_str()),
                ("application", application.as_str()),
                ("unit", one.unit.as_str()),
                ("metric", one.metric.as_str()),
            ];
            // A charm's labels have other names than those.
            let own = one.labels.iter();
            labels.extend(own.map(|(name, value)| (name.as_str(), value.as_str())));
            let labels = labels.as_slice();
            ConstGauge::new(one.value).encode(family.encode_family(&labels)?)?;
        }
        Ok(())
    }
}
