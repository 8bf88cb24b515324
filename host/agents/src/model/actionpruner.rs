//! **actionpruner**: keeps the operations that are remembered within their bounds.
//!
//! Trigger: every 24 hours. Action: it drops operations that ended longer ago than `max-action-results-age`,
//! then the oldest until the rest fits `max-action-results-size`. Effect: `operations` lists nothing
//! older. What waits or runs never goes.

use std::time::Duration;

use periapt_engine::Manifold;
use periapt_model::config::Values;
use periapt_model::options::{duration, size_mb};
use periapt_wire::agent::action_pruner::PruneOperations;
use periapt_wire::{ApiConnection, CallError};

use super::apicaller;
use super::pruner::{self, Bounds, Prune};

pub const NAME: &str = "action-pruner";

struct Operations;

impl Prune for Operations {
    const PERIOD: Duration = Duration::from_secs(24 * 60 * 60);

    fn bounds(config: &Values) -> Bounds {
        Bounds {
            age: duration(config, "max-action-results-age"),
            megabytes: size_mb(config, "max-action-results-size"),
        }
    }

    async fn prune(api: &ApiConnection, bounds: Bounds) -> Result<u64, CallError> {
        api.call(&PruneOperations {
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
        Ok(pruner::worker::<Operations>(api, context.clock()))
    })
    .needs([apicaller::NAME])
}
