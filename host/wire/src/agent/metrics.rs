//! What charms measure of their units.

use periapt_model::UnitName;
use periapt_model::charm::metrics::Sample;
use serde::{Deserialize, Serialize};

use crate::rpc::Empty;

/// What one run of `collect-metrics` added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MetricBatch {
    /// Seconds since the epoch, by the agent's clock.
    pub at: i64,
    /// Seconds to the next run.
    pub interval: u64,
    pub samples: Vec<Sample>,
}

crate::facade! { "periapt.Metrics" 1 for Agents {
    /// Keeps what the unit's charm measured. A batch that was kept already changes nothing.
    [Write] AddBatches as AddMetricBatches { unit: UnitName, batches: Vec<MetricBatch> } -> Empty;
} }
