//! **metrics** (spool, collect and sender): has charms measure their units, and hands over what they
//! measured.
//!
//! Trigger: a timer of `collect-metrics-interval`, which begins at a time of its own for each unit.
//! Action: if the charm declares metrics, it runs `collect-metrics` in a restricted context within a
//! visit of the charm's directory, so beside the hooks and never while a charm is put in place; what
//! that added waits on this machine's disk until the controller has accepted it. Effect: the unit's
//! metrics show it. It runs once in a process and not in each unit's engine: a unit whose charm measures nothing
//! costs no task and no timer.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_engine::{Manifold, SharedWorker, TaskWorker, Visit, WorkerContext, WorkerResult};
use periapt_model::UnitName;
use periapt_uniter::metrics::Metrics;
use periapt_uniter::{Follower, Process, StandingUnit};
use tokio::sync::{SemaphorePermit, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::settings::{self, ModelSettings};
use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "metrics";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        context.require(apicaller::NAME)?;
        let settings: ModelSettings = context.get(settings::NAME)?;
        Ok(start(process, settings.collect_metrics))
    })
    .needs([agent::NAME, apicaller::NAME, settings::NAME])
}

/// Starts the worker of a process.
#[must_use]
pub fn start(process: Process, interval: watch::Receiver<Duration>) -> SharedWorker {
    TaskWorker::spawn(move |worker| async move {
        let collecting = Collecting {
            process,
            interval,
            tasks: JoinSet::new(),
            units: BTreeMap::new(),
        };
        collecting.run(worker).await
    })
}

/// Those units that are measured, each with a task.
struct Collecting {
    process: Process,
    interval: watch::Receiver<Duration>,
    /// They end with this.
    tasks: JoinSet<()>,
    units: BTreeMap<UnitName, Measured>,
}

struct Measured {
    charm: String,
    task: AbortHandle,
}

impl Collecting {
    async fn run(mut self, worker: WorkerContext) -> WorkerResult {
        let process = self.process.clone();
        let standings = process.standings();
        let mut news = standings.all(Follower::Metrics);
        loop {
            for unit in news {
                worker.or_dying(self.look_at(unit)).await?;
            }
            news = worker
                .or_dying(standings.changed(Follower::Metrics))
                .await?;
            // What ended by itself.
            while self.tasks.try_join_next().is_some() {}
        }
    }

    /// Begins to measure a unit, or ends it, where it runs another charm or is gone.
    async fn look_at(&mut self, unit: UnitName) {
        let Some(standing) = self.process.standing_unit(&unit) else {
            // One whose charm is being put in place goes on with it.
            if !self.process.standings().has(&unit) {
                self.end(&unit);
            }
            return;
        };
        let charm = standing.standing.charm_url.clone();
        let known = self.units.get(&unit);
        if known.is_some_and(|known| known.charm == charm && !known.task.is_finished()) {
            return;
        }
        self.end(&unit);
        // Where that is not known the unit's task asks again.
        if matches!(Metrics(&standing).measures().await, Ok(false)) {
            return;
        }
        let collector = Collector {
            process: self.process.clone(),
            unit: unit.clone(),
            charm: charm.clone(),
            interval: self.interval.clone(),
        };
        let task = self.tasks.spawn(collector.run());
        self.units.insert(unit, Measured { charm, task });
    }

    fn end(&mut self, unit: &UnitName) {
        if let Some(measured) = self.units.remove(unit) {
            measured.task.abort();
        }
    }
}

/// One unit with one charm.
struct Collector {
    process: Process,
    unit: UnitName,
    charm: String,
    interval: watch::Receiver<Duration>,
}

impl Collector {
    async fn run(mut self) {
        // Not at once: the unit has just begun, and so may have others.
        let mut last = self.process.clock().monotonic();
        let mut part = self.first();
        loop {
            self.due(last, part).await;
            if !self.cycle().await {
                return;
            }
            (last, part) = (self.process.clock().monotonic(), 1.0);
        }
    }

    /// A part of the interval, from a tenth to nearly all of it, another one for each unit.
    fn first(&self) -> f64 {
        // Delays are spread from 0.9 to 1.1.
        0.1 + (self.process.randomness().jitter() - 0.9) * 4.5
    }

    /// Waits until `part` of an interval has passed since `last`; the interval may change meanwhile.
    async fn due(&mut self, last: Duration, part: f64) {
        let clock = self.process.clock().clone();
        loop {
            let interval = *self.interval.borrow_and_update();
            let due = last + interval.mul_f64(part);
            let wait = due.saturating_sub(clock.monotonic());
            tokio::select! {
                () = clock.sleep(wait) => return,
                changed = self.interval.changed() => if changed.is_err() {
                    // Whoever knows the settings has gone: they cannot change any more.
                    return clock.sleep(wait).await;
                }
            }
        }
    }

    /// Collects and sends; false once the unit is not measured with this charm any more.
    async fn cycle(&self) -> bool {
        let Some((standing, turn)) = self.enter().await else {
            return false;
        };
        if standing.standing.charm_url != self.charm {
            return false;
        }
        let metrics = Metrics(&standing);
        match metrics.measures().await {
            Ok(true) => {}
            Ok(false) => return false,
            Err(error) => {
                metrics.log(&format!("cannot measure: {error}"));
                return true;
            }
        }
        let interval = *self.interval.borrow();
        let collected = metrics.collect(interval).await;
        drop(turn);
        if let Err(error) = collected.and(metrics.send().await) {
            metrics.log(&format!("cannot hand over metrics: {error}"));
        }
        true
    }

    /// Waits until the unit's charm may be run and one more unit may run one; none while its charm is put in place,
    /// after which the unit is looked at anew. Whoever waits for the one keeps nobody from the other.
    async fn enter(&self) -> Option<(StandingUnit, (SemaphorePermit<'_>, Visit))> {
        loop {
            let standing = self.process.standing_unit(&self.unit)?;
            let permit = self.process.may_run_beside().await?;
            match standing.charm_directory.try_enter() {
                Ok(Some(visit)) => {
                    // As its files were committed last.
                    let standing = self.process.standing_unit(&self.unit)?;
                    return Some((standing, (permit, visit)));
                }
                Ok(None) => {}
                Err(_) => return None,
            }
            drop(permit);
            // Nobody calls it off: the task is ended as it is.
            let never = CancellationToken::new();
            standing.charm_directory.enter(&never).await.ok()?;
        }
    }
}
