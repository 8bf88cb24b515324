//! **metrics** (spool, collect and sender): has a charm measure its unit, and hands over what it
//! measured.
//!
//! Trigger: a timer of `collect-metrics-interval`, which begins at a time of its own for each unit.
//! Action: if the charm declares metrics, it runs `collect-metrics` in a restricted context within a
//! visit of the charm's directory, so beside the hooks and never while a charm is put in place; what
//! that added waits on this machine's disk until the controller has accepted it. Effect: the unit's
//! metrics show it. A unit whose charm measures nothing waits for another charm and for no timer.

use std::time::Duration;

use periapt_engine::{
    Guest, Manifold, SharedClock, SharedRandomness, SharedWorker, TaskWorker, WorkerContext,
    WorkerError, WorkerResult,
};
use periapt_uniter::{Metrics, Restricted, Standing};
use periapt_wire::ApiConnection;
use tokio::sync::watch;

use super::{UnitContext, agent, apicaller, charmdir};

pub const NAME: &str = "metrics";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let unit: UnitContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        let charm_directory: Guest = context.get(charmdir::NAME)?;
        let host = &unit.machine.host;
        let metrics = Metrics {
            of: Restricted {
                unit: unit.unit.clone(),
                model: host.model.clone(),
                machine: unit.machine.machine.clone(),
                process: host.process.clone(),
                connection,
                limits: host.limits.clone(),
                proxies: host.proxies.clone(),
            },
        };
        let interval = host.settings.collect_metrics.clone();
        Ok(start(metrics, charm_directory, interval))
    })
    .needs([agent::NAME, apicaller::NAME, charmdir::NAME])
}

/// Starts the worker of one unit.
#[must_use]
pub fn start(
    metrics: Metrics,
    charm_directory: Guest,
    interval: watch::Receiver<Duration>,
) -> SharedWorker {
    TaskWorker::spawn(move |worker| async move {
        let collector = Box::new(Collector {
            clock: metrics.of.process.clock().clone(),
            randomness: metrics.of.process.randomness().clone(),
            metrics,
            charm_directory,
            interval,
        });
        collector.run(worker).await
    })
}

struct Collector {
    metrics: Metrics,
    charm_directory: Guest,
    interval: watch::Receiver<Duration>,
    clock: SharedClock,
    randomness: SharedRandomness,
}

impl Collector {
    async fn run(mut self: Box<Self>, worker: WorkerContext) -> WorkerResult {
        let mut standing = self.metrics.standing();
        let mut charm = None;
        loop {
            let others = |now: &Option<Standing>| is_other(now.as_ref(), charm.as_ref());
            let found = worker.or_dying(standing.wait_for(others)).await?;
            let Ok(found) = found.map(|now| now.as_ref().map(|now| now.charm_url.clone())) else {
                // The unit is gone.
                worker.dying().cancelled().await;
                return Ok(());
            };
            charm = found;
            // Not at once: the unit has just begun, and so may have others.
            let mut last = self.clock.monotonic();
            let mut part = self.first();
            loop {
                worker.or_dying(self.due(last, part)).await?;
                let measures = match &charm {
                    Some(charm) => Box::pin(self.metrics.measures(charm)).await,
                    None => Ok(false),
                };
                match measures {
                    Ok(true) => Box::pin(self.cycle(&worker)).await?,
                    Ok(false) => break,
                    Err(error) => self.metrics.log(&format!("cannot measure: {error}")),
                }
                (last, part) = (self.clock.monotonic(), 1.0);
                if is_other(standing.borrow().as_ref(), charm.as_ref()) {
                    break;
                }
            }
        }
    }

    /// A part of the interval, from a tenth to nearly all of it, another one for each unit.
    fn first(&self) -> f64 {
        // Delays are spread from 0.9 to 1.1.
        0.1 + (self.randomness.jitter() - 0.9) * 4.5
    }

    /// Waits until `part` of an interval has passed since `last`; the interval may change meanwhile.
    async fn due(&mut self, last: Duration, part: f64) {
        loop {
            let interval = *self.interval.borrow_and_update();
            let due = last + interval.mul_f64(part);
            let wait = due.saturating_sub(self.clock.monotonic());
            tokio::select! {
                () = self.clock.sleep(wait) => return,
                changed = self.interval.changed() => if changed.is_err() {
                    // Whoever knows the settings has gone: they cannot change any more.
                    return self.clock.sleep(wait).await;
                }
            }
        }
    }

    /// Collects and sends.
    async fn cycle(&self, worker: &WorkerContext) -> WorkerResult {
        let dying = worker.dying();
        let permit = worker
            .or_dying(self.metrics.of.process.may_run_beside())
            .await?;
        let visit = match self.charm_directory.enter(dying).await {
            Ok(visit) => visit,
            Err(_) if dying.is_cancelled() => return Err(WorkerError::Dying),
            // The directory's keeper begins anew.
            Err(_) => return Err(WorkerError::Bounce),
        };
        let standing = self.metrics.standing().borrow().clone();
        let interval = *self.interval.borrow();
        let collected = match standing {
            Some(standing) => {
                let collect = self.metrics.collect(&standing, interval);
                worker.or_dying(collect).await?
            }
            None => Ok(()),
        };
        drop(visit);
        drop(permit);
        let sent = worker.or_dying(self.metrics.send()).await?;
        if let Err(error) = collected.and(sent) {
            self.metrics
                .log(&format!("cannot hand over metrics: {error}"));
        }
        Ok(())
    }
}

/// Whether there is a charm, and another one than `known`.
fn is_other(now: Option<&Standing>, known: Option<&String>) -> bool {
    now.is_some_and(|now| known != Some(&now.charm_url))
}
