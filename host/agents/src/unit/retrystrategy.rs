//! **retrystrategy** (`hook-retry-strategy`): how failed hooks are retried.
//!
//! Trigger: its start, and a change of the model's settings. Action: lends the strategy (retry or
//! not, from 5 s to 5 min, doubling, with jitter) and bounces when it changes. Effect: the
//! uniter, which depends on it, begins anew with the new strategy.

use periapt_engine::{Manifold, Outputs, TaskWorker, WorkerError};

use super::{UnitContext, agent};

pub const NAME: &str = "hook-retry-strategy";

/// Lends a [`RetryStrategy`](periapt_wire::agent::retry_strategy::RetryStrategy).
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let unit: UnitContext = context.get(agent::NAME)?;
        let mut strategy = unit.machine.host.settings.retry.clone();
        let first = strategy.borrow_and_update().clone();
        Ok(TaskWorker::lending(
            Outputs::of(first.clone()),
            |worker| async move {
                let changed = worker
                    .or_dying(strategy.wait_for(|strategy| *strategy != first))
                    .await?
                    .is_ok();
                if changed {
                    return Err(WorkerError::Bounce);
                }
                // Whoever knows the settings has gone: they cannot change any more.
                worker.dying().cancelled().await;
                Ok(())
            },
        ))
    })
    .needs([agent::NAME])
}
