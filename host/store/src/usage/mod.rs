//! What units used and measured: requests by the minute, and the metrics of their charms.

mod metrics;
#[cfg(test)]
mod tests;
mod traffic;

use crate::tables::{Table, tables};

pub use metrics::ExposedMetric;
pub(crate) use traffic::prune as prune_traffic;
pub use traffic::{Served, ServedUnit};

pub(crate) const TABLES: &[Table] = tables! {
    "traffic", Unit "unit = $2";
    "counted", Unit "unit = $2";
    "traffic_total", Application "application = $2";
    "metric", Unit "unit = $2";
    "metric_latest", Unit "unit = $2";
};
