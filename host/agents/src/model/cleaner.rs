//! **cleaner**: works off the model's queue of clean-ups.
//!
//! Trigger: the queue changes, its next item is due, or half a minute passed since one failed.
//! Action: it asks the controller to run what is due, in order. Effect: removals go on and end.
//! An item that fails stays for the next round and never keeps the later ones from running, nor
//! does it end the worker. With an empty queue it sleeps until the queue changes.

use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, SharedClock, TaskWorker};
use periapt_wire::ApiConnection;
use periapt_wire::agent::cleaner::{Cleanup, CleanupReport, WatchCleanups};
use serde_json::json;

use super::apicaller;
use crate::watching::Watching;

pub const NAME: &str = "state-cleaner";

/// How often items are tried again that failed (Juju's period).
pub const PERIOD: Duration = Duration::from_secs(30);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let doing = "watching clean-ups";
            let mut queue = Watching::begin(&worker, &api, &WatchCleanups {}, doing).await?;
            let mut again = None;
            loop {
                tokio::select! {
                    event = queue.changed() => event?,
                    () = sleep(&clock, again) => {}
                }
                let report = worker
                    .or_dying(api.call(&Cleanup {}))
                    .await?
                    .while_doing("cleaning up")?;
                for error in &report.errors {
                    tracing::warn!(%error, "clean-up failed and stays in the queue");
                }
                again = next_round(&report, clock.now().as_microsecond());
                worker
                    .set_report(json!({ "remaining": report.remaining, "errors": report.errors }));
            }
        }))
    })
    .needs([apicaller::NAME])
}

/// How long until the next round, none while the queue is empty. `now` is in microseconds.
pub fn next_round(report: &CleanupReport, now: i64) -> Option<Duration> {
    if report.remaining == 0 {
        return None;
    }
    let due = report
        .next_due
        .and_then(|due| u64::try_from(due.saturating_sub(now)).ok());
    // A past time is that of an item that failed just now.
    let wait = due.filter(|due| *due > 0);
    Some(wait.map_or(PERIOD, Duration::from_micros))
}

async fn sleep(clock: &SharedClock, wait: Option<Duration>) {
    match wait {
        Some(wait) => clock.sleep(wait).await,
        None => std::future::pending().await,
    }
}
