//! **secretdrainworker**: moves revisions of secrets to the back end that the model wants.
//!
//! Trigger: the model wants another back end, or a revision is elsewhere. Action: it asks the controller to move one
//! after the other: written there, read from there, then removed where it was. Effect: every revision is where the
//! model wants it, and is read at each moment. One that cannot be moved is tried again after a minute, and keeps no
//! other from being moved. It sees no value.

use std::time::Duration;

use periapt_engine::{Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult};
use periapt_wire::agent::secrets_drain::{GetMisplacedSecrets, MoveSecret, WatchSecretBackend};
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::apicaller;
use crate::watching::Watching;

pub const NAME: &str = "secret-drain-worker";

/// How soon one is tried again that could not be moved.
const AGAIN: Duration = Duration::from_secs(60);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            run(&worker, &api, &clock).await
        }))
    })
    .needs([apicaller::NAME])
}

async fn run(worker: &WorkerContext, api: &ApiConnection, clock: &SharedClock) -> WorkerResult {
    let doing = "watching the back end of secrets";
    let mut watching = Watching::begin(worker, api, &WatchSecretBackend {}, doing).await?;
    let (mut again, mut moved) = (None, 0_u64);
    loop {
        tokio::select! {
            event = watching.changed() => event?,
            () = sleep(clock, again) => {}
        }
        // Whatever is written elsewhere meanwhile is a change, also behind where this is.
        let (mut failed, mut after) = (0_usize, None);
        loop {
            let call = GetMisplacedSecrets { after };
            let misplaced = worker.or_dying(api.call(&call)).await?;
            let misplaced = misplaced.while_doing("reading which secrets are elsewhere")?;
            let Some(last) = misplaced.last().cloned() else {
                break;
            };
            after = Some(last);
            for revision in misplaced {
                let call = MoveSecret { revision };
                match worker.or_dying(api.call(&call)).await? {
                    Ok(_) => moved += 1,
                    Err(CallError::Refused { message, .. }) => {
                        tracing::warn!(secret = %call.revision.id, why = %message, "a secret is not moved");
                        failed += 1;
                    }
                    Err(error) => return Err(error).while_doing("moving a secret"),
                }
            }
        }
        again = (failed > 0).then_some(AGAIN);
        worker.set_report(json!({ "moved": moved, "failed": failed }));
    }
}

async fn sleep(clock: &SharedClock, wait: Option<Duration>) {
    match wait {
        Some(wait) => clock.sleep(wait).await,
        None => std::future::pending().await,
    }
}
