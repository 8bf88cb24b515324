//! **lease**: the manager of leases, one in each controller, all over the same rows.
//!
//! Trigger: claims, revocations and waits of its callers. Effect: at most one holder of each
//! lease. Who holds one is decided by the database, never by this worker's memory; at its end
//! the waiters are told to try again.

use periapt_engine::{Manifold, Outputs, TaskWorker};
use periapt_store::{Store, lease::Manager};

use super::dbaccessor;

pub const NAME: &str = "lease-manager";

/// Lends the [`Manager`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        let manager = Manager::new(&store);
        Ok(TaskWorker::lending(
            Outputs::of(manager.clone()),
            |worker| async move {
                worker.dying().cancelled().await;
                manager.stop();
                Ok(())
            },
        ))
    })
    .needs([dbaccessor::NAME])
}
