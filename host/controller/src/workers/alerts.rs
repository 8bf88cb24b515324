//! **alerts**: has rules evaluated when something changes that they are about, and messages sent when they are due.
//! Juju has no such worker.
//!
//! Trigger: rules and receivers change; while there are rules, also what they are about; the next time comes; while
//! there is a rule about the disk, every minute, since nobody tells that a disk fills. Action: it measures the disk if a
//! rule asks for it, and asks the controller to decide what fires and to send what is due. Effect: each alert is told
//! once when it fires and once when it resolves. While there is no rule nothing is watched but whether there is one. Each
//! receiver is sent its messages by a call of its own, so that one that hangs delays no other. Of the controller's
//! processes one does it. It sees no secret of a receiver.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use periapt_agents::watching::Watching;
use periapt_engine::{Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerResult};
use periapt_wire::agent::alerts::{
    DeliverAlerts, Delivered, EvaluateAlerts, Evaluated, WaitingReceivers, WatchAlertFacts,
    WatchAlertRules,
};
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;

use super::{agent, apicaller};
use crate::ControllerContext;

#[cfg(test)]
mod tests;

pub const NAME: &str = "alerts";

/// Between two evaluations, however much changes.
const PAUSE: Duration = Duration::from_secs(1);
/// Between two looks at the disk.
const DISK: Duration = Duration::from_secs(60);

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        let directory = controller.data_dir;
        Ok(TaskWorker::spawn(move |worker| async move {
            run(&worker, &api, &clock, directory).await
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// Evaluation does not wait for receivers that are slow.
async fn run(
    worker: &WorkerContext,
    api: &ApiConnection,
    clock: &SharedClock,
    directory: PathBuf,
) -> WorkerResult {
    tokio::select! {
        ended = evaluate(worker, api, clock, &directory) => ended,
        ended = deliver(worker, api, clock) => ended,
    }
}

async fn evaluate(
    worker: &WorkerContext,
    api: &ApiConnection,
    clock: &SharedClock,
    directory: &Path,
) -> WorkerResult {
    let doing = "watching alert rules";
    let mut rules = Watching::begin(worker, api, &WatchAlertRules {}, doing).await?;
    let mut facts: Option<(bool, Watching)> = None;
    let (mut wait, mut measures, mut evaluations) = (None, false, 0_u64);
    loop {
        tokio::select! {
            event = rules.changed() => event?,
            event = changed(&mut facts) => event?,
            () = sleep(clock, wait) => {}
        }
        let disk = measures.then(|| fullness(directory)).flatten();
        let said = worker.or_dying(api.call(&EvaluateAlerts { disk })).await?;
        let said: Evaluated = said.while_doing("evaluating alert rules")?;
        evaluations += 1;
        // What is watched follows the rules. Whatever is watched anew comes with an event at once.
        let wanted = said.facts.then_some(said.hooks);
        if facts.as_ref().map(|(hooks, _)| *hooks) != wanted {
            facts = match wanted {
                None => None,
                Some(hooks) => {
                    let doing = "watching what alert rules are about";
                    let watch = WatchAlertFacts { hooks };
                    let watching = Watching::begin(worker, api, &watch, doing).await?;
                    Some((hooks, watching))
                }
            };
        }
        worker.set_report(json!({
            "rules": said.rules,
            "firing": said.firing,
            "evaluations": evaluations,
            "next": said.next,
        }));
        let began = !measures && said.disk;
        measures = said.disk;
        wait = match began {
            // The rule is new: the disk was not measured for it yet.
            true => Some(Duration::ZERO),
            false => next(&said, clock.now().as_microsecond()),
        };
        if said.rules > 0 {
            worker.or_dying(clock.sleep(PAUSE)).await?;
        }
    }
}

/// How long there is nothing to do unless something changes.
fn next(said: &Evaluated, now: i64) -> Option<Duration> {
    let until = |at: i64| {
        let microseconds = u64::try_from(at.saturating_sub(now)).unwrap_or(0);
        Duration::from_micros(microseconds)
    };
    let disk = said.disk.then_some(DISK);
    [said.next.map(until), disk].into_iter().flatten().min()
}

async fn changed(facts: &mut Option<(bool, Watching)>) -> WorkerResult {
    match facts {
        Some((_, watching)) => watching.changed().await,
        None => std::future::pending().await,
    }
}

async fn deliver(worker: &WorkerContext, api: &ApiConnection, clock: &SharedClock) -> WorkerResult {
    let doing = "watching messages of alerts";
    let mut rules = Watching::begin(worker, api, &WatchAlertRules {}, doing).await?;
    let mut sending: FuturesUnordered<BoxFuture<'static, Sent>> = FuturesUnordered::new();
    let mut busy: BTreeSet<String> = BTreeSet::new();
    let mut wait: Option<Duration> = None;
    loop {
        tokio::select! {
            event = rules.changed() => event?,
            () = sleep(clock, wait) => {}
            Some((receiver, sent)) = sending.next() => {
                busy.remove(&receiver);
                sent.while_doing("sending messages of alerts")?;
            }
        }
        let waiting = worker.or_dying(api.call(&WaitingReceivers {})).await?;
        let waiting = waiting.while_doing("looking for messages of alerts")?;
        let now = clock.now().as_microsecond();
        wait = None;
        for one in waiting {
            if busy.contains(&one.receiver) {
                // It is looked at again when its call ends.
                continue;
            }
            let left = u64::try_from(one.next.saturating_sub(now)).unwrap_or(0);
            if left == 0 {
                busy.insert(one.receiver.clone());
                sending.push(Box::pin(send(api.clone(), one.receiver)));
                continue;
            }
            let left = Duration::from_micros(left);
            wait = Some(wait.map_or(left, |wait| wait.min(left)));
        }
    }
}

/// A receiver, and what became of the call that sends it messages.
type Sent = (String, Result<Delivered, CallError>);

/// Sends a receiver what is due, which may take as long as the receiver lets it.
async fn send(api: ApiConnection, receiver: String) -> Sent {
    let call = DeliverAlerts { receiver };
    let sent = api.call(&call).await;
    (call.receiver, sent)
}

async fn sleep(clock: &SharedClock, wait: Option<Duration>) {
    match wait {
        Some(wait) => clock.sleep(wait).await,
        None => std::future::pending().await,
    }
}

/// How full the disk is that a directory is on, in percent, as `df` counts: of what is not kept for root. None where
/// it cannot be told.
fn fullness(directory: &Path) -> Option<u64> {
    match rustix::fs::statvfs(directory) {
        Ok(disk) => percent(disk.f_blocks.saturating_sub(disk.f_bfree), disk.f_bavail),
        Err(error) => {
            tracing::warn!(%error, "how full the disk is cannot be told");
            None
        }
    }
}

/// Rounded up, so that a disk is never fuller than it says.
fn percent(used: u64, available: u64) -> Option<u64> {
    let all = u128::from(used) + u128::from(available);
    if all == 0 {
        return None;
    }
    u64::try_from((u128::from(used) * 100).div_ceil(all)).ok()
}
