//! What a change comes from: written beside what it changes, and read back as a chain.
//!
//! The transaction of a change knows who makes it: a request has its record in the audit log, a hook its run, an
//! agent or a worker its call. That is written in the statement that writes the change, so it costs none of its own.
//! An agent reports with each run the cause of what it was chosen from, and a chain goes from run to run, backwards,
//! to what began it. Each step is one row by its key, and there are at most [`STEPS`]; whatever is no longer kept is
//! the end, and says so. Nothing here is decided on.

use periapt_model::bounds;
use periapt_model::cause::{Cause, Ran, Timer};
use periapt_model::task::Asked;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{Why, WhyStep};

use crate::db::{Session, Tx, columns, params, word};
use crate::{Result, Store, unit};

#[cfg(test)]
mod tests;

/// Runs in one chain at most.
const STEPS: usize = 32;

/// What the changes of a job come from, as it is kept beside them.
pub(crate) fn cause(tx: &Tx) -> String {
    match tx.call {
        _ if !tx.cause.is_empty() => tx.cause.clone(),
        Some((facade, method)) => Cause::Call(format!("{facade}.{method}")).to_string(),
        None => String::new(),
    }
}

columns! {
    struct Run {
        unit: UnitName = "unit" as word,
        hook: String = "hook",
        about: String = "about",
        started_at: i64 = "started_at",
        cause: Cause = "cause" as word,
    }
    const RUN = "FROM hook_run WHERE id = $1 AND model_uuid = $2";
}

columns! {
    struct Deed {
        time: i64 = "time",
        who: String = "who",
        what: String = "what",
        verb: String = "verb",
        object: String = "object",
    }
    // An agent says what caused a run, and is told nothing of other models by that.
    const DEED = "FROM audit WHERE id = $1 AND model_uuid = $2";
}

columns! {
    struct Request {
        by: String = "operation.requested_by",
        dispatch: String = "task.dispatch",
        enqueued_at: i64 = "task.enqueued_at",
    }
    const REQUEST = "FROM task JOIN operation ON operation.model_uuid = task.model_uuid
            AND operation.id = task.operation
        WHERE task.model_uuid = $1 AND task.id = $2";
}

impl Store {
    /// Why a unit is as it is: the chain of its last run that was more than a good `update-status`. Empty where
    /// no hook of it has run. `audit` is whether who asks may know what is in the audit log.
    pub async fn unit_why(&self, model: &ModelUuid, unit: &UnitName, audit: bool) -> Result<Why> {
        let mut db = self.snapshot().await?;
        unit::require(&mut db, model, unit).await?;
        let sql = "SELECT id FROM hook_run WHERE model_uuid = $1 AND unit = $2
            ORDER BY CASE WHEN hook = 'update-status' AND result = 'ok' THEN 1 ELSE 0 END, id DESC LIMIT 1";
        let last: Option<i64> = db.scalar(sql, params![model, unit]).await?;
        let steps = match last {
            Some(id) => chain(&mut db, model, id, audit).await?,
            None => Vec::new(),
        };
        Ok(Why {
            unit: unit.clone(),
            steps,
        })
    }

    /// The chain of one run.
    pub async fn run_why(&self, model: &ModelUuid, id: i64, audit: bool) -> Result<Vec<WhyStep>> {
        chain(&mut self.snapshot().await?, model, id, audit).await
    }
}

/// From a run backwards to what began it.
async fn chain(
    db: &mut Session,
    model: &ModelUuid,
    first: i64,
    audit: bool,
) -> Result<Vec<WhyStep>> {
    let mut steps = Vec::new();
    let mut id = first;
    let mut after: Option<Ran> = None;
    let mut failed = false;
    loop {
        let Some(run) = db.one(RUN, params![id, model]).await? else {
            steps.push(end(format!(
                "run {id}, which is no longer kept: runs go with their unit, and of each unit the newest {} are kept",
                bounds::RUNS_OF_UNIT.most
            )));
            return Ok(steps);
        };
        let ran = Ran {
            unit: run.unit,
            hook: run.hook,
            about: run.about,
        };
        steps.push(WhyStep {
            time: Some(run.started_at),
            unit: Some(ran.unit.clone()),
            run: Some(id),
            ..end(match &after {
                Some(_) if failed => format!("{}, which failed", ran.words()),
                Some(after) => ran.brought_about(after),
                None => ran.words(),
            })
        });
        // What is tried again has the cause of its first try.
        let first = match &run.cause {
            Cause::Timer(Timer::Retry) if steps.len() < STEPS => {
                first_try(db, model, id, &ran).await?
            }
            _ => None,
        };
        failed = first.is_some();
        if let Some(first) = first {
            steps.push(begun(db, model, &run.cause, audit).await?);
            id = first;
            after = Some(ran);
            continue;
        }
        match run.cause {
            // What brought a run about was committed before it, so this comes to an end.
            Cause::Run(earlier) if earlier < id && steps.len() < STEPS => {
                id = earlier;
                after = Some(ran);
            }
            Cause::Run(earlier) if earlier < id => {
                steps.push(WhyStep {
                    run: Some(earlier),
                    ..end(format!(
                        "run {earlier}; its own chain goes on: `periapt show-hook {earlier}`"
                    ))
                });
                return Ok(steps);
            }
            cause => {
                steps.push(begun(db, model, &cause, audit).await?);
                return Ok(steps);
            }
        }
    }
}

/// The run that failed first of those of which this one is the last; none where it is no longer kept.
async fn first_try(db: &mut Session, model: &ModelUuid, id: i64, ran: &Ran) -> Result<Option<i64>> {
    let sql = "SELECT MAX(id) FROM hook_run WHERE model_uuid = $1 AND unit = $2 AND hook = $3
        AND about = $4 AND id < $5 AND cause <> 'timer:retry'";
    let values = params![model, &ran.unit, &ran.hook, &ran.about, id];
    let found: Option<Option<i64>> = db.scalar(sql, values).await?;
    Ok(found.flatten())
}

/// What began a chain.
async fn begun(db: &mut Session, model: &ModelUuid, cause: &Cause, audit: bool) -> Result<WhyStep> {
    Ok(match cause {
        Cause::Deed(_) if !audit => end("somebody changed the model".to_owned()),
        Cause::Deed(id) => {
            let found: Option<Deed> = db.one(DEED, params![*id, model]).await?;
            found.map_or_else(
                || {
                    end(format!(
                        "record {id} of the audit log, which is no longer kept"
                    ))
                },
                |deed| of_deed(*id, deed),
            )
        }
        Cause::Task(id) => {
            let found: Option<Request> = db.one(REQUEST, params![model, *id]).await?;
            let text = match &found {
                Some(request) => {
                    let what = match Asked::of(&request.dispatch) {
                        Some(Asked::Action(name)) => format!("action {name}"),
                        Some(Asked::Command(name)) => format!("command {name}"),
                        None => request.dispatch.clone(),
                    };
                    format!("{} asked for {what}, task {id}", request.by)
                }
                None => format!("task {id}, which is no longer kept"),
            };
            WhyStep {
                time: found.map(|request| request.enqueued_at),
                task: Some(*id),
                ..end(text)
            }
        }
        cause => {
            let told = cause.end().or_else(|| Cause::Unknown.end());
            end(told.unwrap_or_default())
        }
    })
}

fn of_deed(id: i64, deed: Deed) -> WhyStep {
    let who = deed.who.strip_prefix("user-").unwrap_or(&deed.who);
    let text = match deed.verb.as_str() {
        // Of before the audit log had words.
        "" => format!("{who} called {}", deed.what),
        verb => format!("{who} {verb} {}", deed.object),
    };
    WhyStep {
        time: Some(deed.time),
        audit: Some(id),
        ..end(text)
    }
}

/// A step of which nothing is known but these words.
fn end(text: String) -> WhyStep {
    WhyStep {
        text,
        time: None,
        unit: None,
        run: None,
        audit: None,
        task: None,
    }
}
