//! **secretbackendrotate**: replaces the tokens of secret back ends before they end, and removes from back ends what
//! no secret names any more.
//!
//! Trigger: back ends, their times and what is left in them change; the next time comes. Action: it asks the
//! controller to replace each token that is due, and to sweep. Effect: reads go on with the new token, the old one
//! is revoked, and nothing is left in a back end. What fails is tried again after five minutes and keeps nothing else
//! from being done. It sees no token. Of the controller's processes one does it.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_agents::watching::Watching;
use periapt_engine::{Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult};
use periapt_wire::agent::secret_backends::{
    GetTokenRotations, RotateSecretBackendToken, SweepSecretBackends, TokenRotation,
    WatchTokenRotations,
};
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::apicaller;

#[cfg(test)]
mod tests;

pub const NAME: &str = "secret-backend-rotate";

/// How soon a token is tried again that could not be replaced.
const AGAIN: Duration = Duration::from_secs(5 * 60);

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
    let doing = "watching secret back ends";
    let mut watching = Watching::begin(worker, api, &WatchTokenRotations {}, doing).await?;
    let mut queue = Queue::default();
    let (mut wait, mut rotated) = (None, 0_u64);
    loop {
        tokio::select! {
            event = watching.changed() => event?,
            () = sleep(clock, wait) => {}
        }
        let rotations = worker.or_dying(api.call(&GetTokenRotations {})).await?;
        queue.follow(rotations.while_doing("reading when tokens are due")?);
        while let Some(backend) = queue.due(clock.now().as_microsecond()) {
            let call = RotateSecretBackendToken {
                backend: backend.clone(),
            };
            match worker.or_dying(api.call(&call)).await? {
                Ok(_) => {
                    rotated += 1;
                    queue.done(&backend);
                }
                Err(CallError::Refused { message, .. }) => {
                    tracing::warn!(%backend, why = %message, "a token is not replaced");
                    queue.put_off(&backend, clock.now().as_microsecond());
                }
                Err(error) => return Err(error).while_doing("replacing a token"),
            }
        }
        let swept = worker.or_dying(api.call(&SweepSecretBackends {})).await?;
        let swept = swept.while_doing("removing what nobody needs")?;
        let next = [queue.next(), swept.next_due].into_iter().flatten().min();
        let now = clock.now().as_microsecond();
        let until = |at: i64| u64::try_from(at.saturating_sub(now)).unwrap_or(0);
        wait = next.map(|at| Duration::from_micros(until(at)));
        worker.set_report(json!({ "rotated": rotated, "next": next }));
    }
}

async fn sleep(clock: &SharedClock, wait: Option<Duration>) {
    match wait {
        Some(wait) => clock.sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// When each token is to be replaced, microseconds UTC.
#[derive(Default)]
struct Queue {
    due: BTreeMap<String, i64>,
    /// Those that failed, with when they are tried again.
    failed: BTreeMap<String, i64>,
}

impl Queue {
    /// What the controller says now; one that failed keeps its time.
    fn follow(&mut self, rotations: Vec<TokenRotation>) {
        let rotations = rotations.into_iter();
        self.due = rotations
            .map(|rotation| (rotation.backend, rotation.due))
            .collect();
        self.failed
            .retain(|backend, _| self.due.contains_key(backend));
    }

    fn at(&self, backend: &str, due: i64) -> i64 {
        self.failed
            .get(backend)
            .map_or(due, |again| due.max(*again))
    }

    /// One that is to be replaced now.
    fn due(&self, now: i64) -> Option<String> {
        let mut all = self.due.iter();
        let found = all.find(|(backend, due)| self.at(backend, **due) <= now);
        found.map(|(backend, _)| backend.clone())
    }

    /// It was replaced; the controller says when it is due next.
    fn done(&mut self, backend: &str) {
        self.due.remove(backend);
        self.failed.remove(backend);
    }

    fn put_off(&mut self, backend: &str, now: i64) {
        let wait = i64::try_from(AGAIN.as_micros()).unwrap_or(i64::MAX);
        self.failed
            .insert(backend.to_owned(), now.saturating_add(wait));
    }

    fn next(&self) -> Option<i64> {
        let all = self.due.iter();
        all.map(|(backend, due)| self.at(backend, *due)).min()
    }
}
