//! What units used and measured: requests by the minute, what that is of their quotas, and the metrics of
//! their charms.

pub(crate) mod meter;
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
    "unit_use", Unit "unit = $2";
    "counted", Unit "unit = $2";
    "traffic_total", Application "application = $2";
    "metric", Unit "unit = $2";
    "metric_latest", Unit "unit = $2";
};

/// So that sums of numbers that somebody made up stay numbers of the database.
fn bounded(number: u64) -> u64 {
    number.min(1 << 48)
}
