//! **lease**: the manager of leases, one in each controller, all over the same rows.
//!
//! Trigger: claims, revocations and waits of its callers. Effect: at most one holder of each
//! lease. Who holds one is decided by the database, never by this worker's memory; at its end
//! the waiters are told to try again, and the claims and revocations under way have a few
//! seconds to be decided.

use std::time::Duration;

use periapt_engine::{Manifold, Outputs, SharedClock, TaskWorker, WorkerContext};
use periapt_store::{Store, lease::Manager};

use super::dbaccessor;

pub const NAME: &str = "lease-manager";

/// Juju waits 55 s for claims under way. The whole controller has 20 s here, and the listener
/// and the API, which stop before this worker, may take five each: three leave the store the
/// rest. A claim takes milliseconds; one that takes longer waits for a database that does not
/// answer, and is as well decided by the row it may leave.
const SHUT_DOWN: Duration = Duration::from_secs(3);

/// Between two looks at the figures for the report, while they change.
const REPORT: Duration = Duration::from_secs(1);

/// Lends the [`Manager`].
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let store: Store = context.get(dbaccessor::NAME)?;
        let clock = context.clock();
        let manager = Manager::new(&store);
        Ok(TaskWorker::lending(
            Outputs::of(manager.clone()),
            |worker| async move {
                tokio::select! {
                    biased;
                    () = worker.dying().cancelled() => {}
                    () = keep_report(&manager, &worker, clock) => {}
                }
                if !manager.shut_down(SHUT_DOWN).await {
                    let report = manager.report();
                    tracing::warn!(%report, "claims and revocations did not end in time");
                }
                Ok(())
            },
        ))
    })
    .needs([dbaccessor::NAME])
}

/// Shows what is held and what is under way, after each change. Never ends.
async fn keep_report(manager: &Manager, worker: &WorkerContext, clock: SharedClock) {
    let mut changed = manager.changed();
    loop {
        // A database that does not answer is dbaccessor's to notice; the numbers stay.
        let report = manager.full_report().await;
        worker.set_report(report.unwrap_or_else(|_| manager.report()));
        if changed.changed().await.is_err() {
            return std::future::pending().await;
        }
        clock.sleep(REPORT).await;
    }
}
