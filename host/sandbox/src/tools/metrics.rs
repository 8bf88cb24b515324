//! `add-metric`: what a charm measures of its unit, in `collect-metrics` alone.

pub use periapt_contract::MetricsAnswers;

use super::Permission::InCollectMetrics;
use super::Tool;
use super::When::AtCommit;
use crate::world::periapt::charm::metrics as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[Tool::new(
    "add-metric",
    "metrics",
    "add",
    AtCommit,
    InCollectMetrics,
)];

impl wit::Host for HookState {
    fn add(&mut self, name: String, value: f64, labels: Vec<(String, String)>) -> Answer<()> {
        self.in_any_context(|context| Ok(context.add_metric(name, value, labels)?))
    }
}
