//! **charmrevision**: says which applications could be refreshed to a newer revision of their charm.
//!
//! Trigger: a timer, some minutes after its start and then every 24 hours, each with jitter, so that the models
//! of a controller do not ask all at once. Action: it has the controller read the index of its charm repository
//! and write down where the channel of each application is. Effect: `status` shows `can-upgrade-to`. A
//! repository that cannot be read is tried again after an hour; what was known until then stays. It sends
//! nothing anywhere, and refreshes nothing.

use std::time::Duration;

use periapt_engine::{
    Manifold, ResultExt, SharedClock, SharedRandomness, TaskWorker, WorkerContext, WorkerResult,
};
use periapt_wire::agent::charm_revisions::UpdateLatestRevisions;
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::apicaller;

pub const NAME: &str = "charm-revision-updater";

/// Until the first time.
const FIRST: Duration = Duration::from_secs(10 * 60);
const PERIOD: Duration = Duration::from_secs(24 * 60 * 60);
/// After a time at which the repository could not be read.
const AGAIN: Duration = Duration::from_secs(60 * 60);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let (clock, randomness) = (context.clock(), context.randomness());
        Ok(TaskWorker::spawn(move |worker| async move {
            run(&worker, &api, &clock, &randomness).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn run(
    worker: &WorkerContext,
    api: &ApiConnection,
    clock: &SharedClock,
    randomness: &SharedRandomness,
) -> WorkerResult {
    let (mut wait, mut found, mut error) = (FIRST, None, None);
    loop {
        let pause = wait.mul_f64(randomness.jitter());
        let tick = clock.sleep(pause);
        worker.set_report(json!({
            "can-upgrade": found,
            "error": error,
            "next-in-s": pause.as_secs(),
        }));
        worker.or_dying(tick).await?;
        match worker.or_dying(api.call(&UpdateLatestRevisions {})).await? {
            Ok(upgrades) => (wait, found, error) = (PERIOD, Some(upgrades), None),
            Err(CallError::Refused { message, .. }) => {
                tracing::warn!(why = %message, "newer revisions of charms are not known");
                (wait, error) = (AGAIN, Some(message));
            }
            Err(error) => return Err(error).while_doing("looking for newer revisions of charms"),
        }
    }
}
