//! **metricworker**: forgets old metrics of charms.
//!
//! Trigger: every hour. Action: it drops values older than `metrics-max-age`. Effect: the histories of
//! metrics hold nothing older. In Juju it also sends them to a collector; here there is none, and
//! whoever collects reads `/metrics`.

use std::time::Duration;

use periapt_engine::Manifold;
use periapt_model::config::Values;
use periapt_model::options::duration;
use periapt_wire::agent::metric_pruning::PruneMetrics;
use periapt_wire::{ApiConnection, CallError};

use super::apicaller;
use super::pruner::{self, Bounds, Prune};

pub const NAME: &str = "metric-worker";

struct Metrics;

impl Prune for Metrics {
    const PERIOD: Duration = Duration::from_secs(60 * 60);

    fn bounds(config: &Values) -> Bounds {
        Bounds {
            age: duration(config, "metrics-max-age"),
            megabytes: 0,
        }
    }

    async fn prune(api: &ApiConnection, bounds: Bounds) -> Result<u64, CallError> {
        api.call(&PruneMetrics {
            max_age_ms: bounds.max_age_ms(),
        })
        .await
    }
}

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(pruner::worker::<Metrics>(api, context.clock()))
    })
    .needs([apicaller::NAME])
}
