//! **statushistorypruner**: keeps the history of statuses within its bounds.
//!
//! Trigger: every 5 minutes. Action: it drops entries older than `max-status-history-age`, then
//! the oldest until the rest fits `max-status-history-size`. Effect: `show-status-log` holds
//! nothing older. Current statuses never go.

use std::time::Duration;

use periapt_engine::Manifold;
use periapt_model::config::Values;
use periapt_model::options::{duration, size_mb};
use periapt_wire::agent::status_history::PruneStatusHistory;
use periapt_wire::{ApiConnection, CallError};

use super::apicaller;
use super::pruner::{self, Bounds, Prune};

pub const NAME: &str = "status-history-pruner";

struct StatusHistory;

impl Prune for StatusHistory {
    const PERIOD: Duration = Duration::from_secs(5 * 60);

    fn bounds(config: &Values) -> Bounds {
        Bounds {
            age: duration(config, "max-status-history-age"),
            megabytes: size_mb(config, "max-status-history-size"),
        }
    }

    async fn prune(api: &ApiConnection, bounds: Bounds) -> Result<u64, CallError> {
        api.call(&PruneStatusHistory {
            max_age_ms: bounds.max_age_ms(),
            max_size_mb: bounds.megabytes,
        })
        .await
    }
}

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        Ok(pruner::worker::<StatusHistory>(api, context.clock()))
    })
    .needs([apicaller::NAME])
}
