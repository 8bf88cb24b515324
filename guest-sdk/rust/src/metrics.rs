//! What the charm measures of its unit, as its `metrics.yaml` declares it.

use crate::world::World;
use crate::world::bindings::periapt::charm::metrics as wit;
use crate::{Context, HostError, Result};

/// What a charm may ask of the host about metrics.
#[allow(missing_docs)]
pub trait MetricsHost {
    fn add_metric(
        &self,
        name: &str,
        value: f64,
        labels: &[(String, String)],
    ) -> Result<(), HostError>;
}

impl MetricsHost for World {
    fn add_metric(
        &self,
        name: &str,
        value: f64,
        labels: &[(String, String)],
    ) -> Result<(), HostError> {
        Ok(wit::add(name, value, labels)?)
    }
}

impl<C> Context<'_, C> {
    /// Adds the value of a metric that `metrics.yaml` declares; a later one takes its place. In
    /// [`Hook::CollectMetrics`](crate::Hook::CollectMetrics) alone.
    pub fn add_metric(&self, name: &str, value: f64) -> Result<()> {
        self.add_metric_with(name, value, &[])
    }

    /// The same with labels, such as `[("path", "/")]`: each combination has a value of its own.
    pub fn add_metric_with(&self, name: &str, value: f64, labels: &[(&str, &str)]) -> Result<()> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let labels: Vec<(String, String)> = labels.iter().map(owned).collect();
        Ok(self.host.add_metric(name, value, &labels)?)
    }
}
