//! **leaseexpiry**: removes leases whose time is over.
//!
//! Trigger: every second. Action: it deletes the rows that expired and carry no pin. Effect:
//! those who wait for a lease wake. A failure of the database is left to the next second.

use std::time::Duration;

use periapt_engine::{Manifold, TaskWorker};
use periapt_store::lease::Manager;
use serde_json::json;

use super::lease;

pub const NAME: &str = "lease-expiry";

/// Juju's period.
const PERIOD: Duration = Duration::from_secs(1);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let leases: Manager = context.get(lease::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let mut expired = 0;
            loop {
                worker.or_dying(clock.sleep(PERIOD)).await?;
                match worker.or_dying(leases.expire_due()).await? {
                    Ok(count) => expired += count,
                    Err(error) => tracing::debug!(%error, "leases are not expired this time"),
                }
                worker.set_report(json!({ "expired": expired }));
            }
        }))
    })
    .needs([lease::NAME])
}
