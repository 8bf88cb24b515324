//! **meterstatus**: tells charms how their units fare against their quotas.
//!
//! Trigger: what the controller says of a unit's quotas, or a charm that is put in place; without a connection
//! the clock. Action: runs `meter-status-changed` of each unit whose charm has it and was told something
//! else last, in a restricted context, beside the unit's hooks and never while a charm is put in place. Without
//! a connection units are told AMBER after five minutes and RED after fifteen; with the next one they are
//! told what the controller says. Effect: a charm can do with less, or say so in the log.
//!
//! The connection is an input that it can do without: the engine starts it anew whenever that comes or goes,
//! and so one variant becomes the other. It runs once in a process and not in each unit's engine, which ends
//! with the connection; a unit whose charm does not have the hook costs no task and no timer.

use std::future::pending;

use futures::StreamExt;
use periapt_engine::{Manifold, SharedClock, TaskWorker, WorkerContext, WorkerResult};
use periapt_model::quota::{Meter, isolated, isolated_next};
use periapt_uniter::restricted::AT_ONCE;
use periapt_uniter::{Follower, Process, StandingUnit, UniterError, meter};
use periapt_wire::ApiConnection;
use serde_json::json;

use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "meter-status";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let AgentContext { process, .. } = context.get(agent::NAME)?;
        let api: Option<ApiConnection> = context.get_optional(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            worker.set_report(json!({ "connected": api.is_some() }));
            match api {
                Some(_) => Box::pin(connected(&worker, &process)).await,
                None => Box::pin(alone(&worker, &process, &clock)).await,
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

/// Tells units what the controller says of them.
async fn connected(worker: &WorkerContext, process: &Process) -> WorkerResult {
    let standings = process.standings();
    standings.connected();
    let mut units = standings.all(Follower::Meters);
    loop {
        let telling = futures::stream::iter(units);
        let telling = telling.for_each_concurrent(AT_ONCE, |unit| {
            let process = process.clone();
            async move {
                if let Some(unit) = process.standing_unit(&unit) {
                    said(&unit, tell_in_visit(&process, &unit).await);
                }
            }
        });
        worker.or_dying(telling).await?;
        units = worker.or_dying(standings.changed(Follower::Meters)).await?;
    }
}

/// Tells units for how long nobody has counted.
async fn alone(worker: &WorkerContext, process: &Process, clock: &SharedClock) -> WorkerResult {
    let standings = process.standings();
    let since = standings.isolated(clock.monotonic());
    loop {
        let passed = clock.monotonic().saturating_sub(since);
        if let Some(meter) = isolated(passed) {
            let telling = futures::stream::iter(standings.all(Follower::Meters));
            let telling = telling.for_each_concurrent(AT_ONCE, |unit| {
                let (process, meter) = (process.clone(), meter.clone());
                async move {
                    if let Some(unit) = process.standing_unit(&unit) {
                        said(&unit, tell(&process, &unit, &meter).await);
                    }
                }
            });
            worker.or_dying(telling).await?;
        }
        let wait = async {
            match isolated_next(passed) {
                Some(next) => {
                    let due = since + next;
                    clock.sleep(due.saturating_sub(clock.monotonic())).await;
                }
                None => pending().await,
            }
        };
        worker.or_dying(wait).await?;
    }
}

/// A unit that runs, within a visit of its charm's directory.
async fn tell_in_visit(process: &Process, unit: &StandingUnit) -> Result<(), UniterError> {
    if !meter::has_to_hear(unit, &unit.meter).await? {
        return Ok(());
    }
    let _permit = process.may_run_beside().await;
    // Nobody waits here for one whose charm is being put in place, which may take a person's answer.
    match unit.charm_directory.try_enter() {
        Ok(Some(_visit)) => meter::tell(unit, &unit.meter).await,
        Ok(None) => {
            process.standings().missed(&unit.of.unit);
            Ok(())
        }
        // Its uniter ends, and the next one says anew what there is to tell.
        Err(_) => Ok(()),
    }
}

/// A unit whose uniter has ended with the connection.
async fn tell(process: &Process, unit: &StandingUnit, meter: &Meter) -> Result<(), UniterError> {
    if !meter::has_to_hear(unit, meter).await? {
        return Ok(());
    }
    let _permit = process.may_run_beside().await;
    meter::tell(unit, meter).await
}

fn said(unit: &StandingUnit, said: Result<(), UniterError>) {
    if let Err(error) = said {
        meter::log(unit, &format!("cannot tell the meter status: {error}"));
    }
}
