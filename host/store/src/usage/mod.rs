//! What units used and measured: requests by the minute, and the metrics of their charms.

mod metrics;
#[cfg(test)]
mod tests;

pub use metrics::ExposedMetric;

use crate::tables::{Table, tables};

pub(crate) const TABLES: &[Table] = tables! {
    "traffic", Unit "unit = $2";
    "metric", Unit "unit = $2";
    "metric_latest", Unit "unit = $2";
};
