//! **pruner**: the loop of all workers that drop old rows.
//!
//! Trigger: a timer. Action: it prunes by the age and size that the model's configuration holds
//! at that moment. The first configuration arms the timer; a changed one takes effect with the
//! next tick. It never prunes between ticks and never without a configuration.

use std::time::Duration;

use periapt_engine::{ResultExt, SharedClock, SharedWorker, TaskWorker, WorkerError};
use periapt_model::config::Values;
use periapt_wire::agent::model_config::{GetModelConfig, WatchModelConfig};
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use crate::watching::Watching;

/// How much may stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub age: Duration,
    pub megabytes: u64,
}

impl Bounds {
    /// The age as calls say it.
    pub fn max_age_ms(&self) -> u64 {
        u64::try_from(self.age.as_millis()).unwrap_or(u64::MAX)
    }
}

/// What is pruned, when, and within which bounds.
pub trait Prune: Send + Sync + 'static {
    /// Time between ticks.
    const PERIOD: Duration;

    /// The bounds that `config` sets.
    fn bounds(config: &Values) -> Bounds;

    /// Drops what is beyond the bounds and says how many rows went.
    fn prune(
        api: &ApiConnection,
        bounds: Bounds,
    ) -> impl Future<Output = Result<u64, CallError>> + Send;
}

/// The worker.
pub fn worker<P: Prune>(api: ApiConnection, clock: SharedClock) -> SharedWorker {
    TaskWorker::spawn(move |worker| async move {
        let (watch, doing) = (WatchModelConfig {}, "watching the model's configuration");
        let mut options = Watching::begin(&worker, &api, &watch, doing).await?;
        options.changed().await?;
        let mut bounds = read::<P>(&api).await?;
        let mut tick = clock.sleep(P::PERIOD);
        let mut pruned = 0;
        loop {
            worker.set_report(json!({
                "max-age-s": bounds.age.as_secs(),
                "max-size-mb": bounds.megabytes,
                "pruned": pruned,
            }));
            tokio::select! {
                event = options.changed() => {
                    event?;
                    bounds = read::<P>(&api).await?;
                }
                () = &mut tick => {
                    pruned += worker.or_dying(P::prune(&api, bounds)).await?.while_doing("pruning")?;
                    tick = clock.sleep(P::PERIOD);
                }
            }
        }
    })
}

async fn read<P: Prune>(api: &ApiConnection) -> Result<Bounds, WorkerError> {
    let config = api.call(&GetModelConfig {}).await;
    Ok(P::bounds(
        &config.while_doing("reading the model's configuration")?,
    ))
}
