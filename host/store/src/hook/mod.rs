//! What the uniter writes: its operation state, and the effects of a hook in one transaction
//! (`effects` is the list of them).

use std::collections::BTreeMap;

use periapt_contract::Effect;
use periapt_model::cause::Cause;
use periapt_model::charm::CharmUrl;
use periapt_model::hook::commit::{self, Step};
use periapt_model::hook::{Effects, Info};
use periapt_model::refusal::Subject;
use periapt_model::secret::SecretId;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::task::TaskId;
use periapt_model::uniter::{OperationState, Resolved, agent_idle};
use periapt_model::{ModelUuid, Refusal, Tag, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{HookReport, Known, Told};

use crate::changes::namespace;
use crate::db::{Tx, columns, params, to_json};
use crate::error::StoreError;
use crate::relation::settings as relations;
use crate::secret::Sealed;
use crate::tables::{Table, tables};
use crate::unit::uniter::{self, UNIT, told};
use crate::{Result, Store, grant, log, relation, status};

mod action;
mod details;
mod effects;
mod leader;
mod payloads;
mod ports;
mod reboot;
pub(crate) mod runs;
mod secrets;
mod state;
mod storage;
#[cfg(test)]
mod tests;
mod top;
mod workload;

pub(crate) use effects::Committing;
pub(crate) use workload::containers;

pub(crate) const TABLES: &[Table] = tables! {
    "hook_run", Unit "unit = $2";
    "container", Unit "unit = $2";
};

/// What begins a hook.
#[derive(Clone, Debug)]
pub struct HookBegin {
    /// The sequence of the state that it was decided on.
    pub from: u64,
    pub operation: OperationState,
    /// The answer that was there as the hook was chosen.
    pub answer: Resolved,
    pub agent: Option<Status<Agent>>,
    pub workload: Option<Status<Workload>>,
}

/// What ends a hook that went well.
#[derive(Clone, Debug, Default)]
pub struct HookCommit {
    /// The sequence of the state that it was decided on.
    pub from: u64,
    pub effects: Effects,
    /// Contents of the secrets that the effects add and change, which the effects themselves have not.
    pub sealed: BTreeMap<SecretId, Sealed>,
    /// The state that follows.
    pub operation: OperationState,
    /// The workload status that goes with it.
    pub workload: Option<Status<Workload>>,
    /// The hook that ended.
    pub hook: Option<Info>,
    /// Hooks after it that the charm does not have.
    pub absent: Vec<Info>,
    /// None for a hook that the charm does not have.
    pub run: Option<HookReport>,
    /// The task that ends, in place of a hook.
    pub task: Option<TaskId>,
    /// Lines about the unit.
    pub records: Vec<LogRecord>,
    /// The agent is idle if the remote state still is the one it knows.
    pub rests: bool,
    /// What the agent has of what the controller said.
    pub known: Known,
}

/// What the controller says of a unit as a hook of it is committed.
#[derive(Clone, Debug)]
pub struct Committed {
    pub told: Told,
    /// Whether the agent is now shown as idle.
    pub idle: bool,
}

impl Store {
    /// Stores the operation state that follows the one numbered `from`, and with it which charm is
    /// in place; takes a person's answer to a failure away if the state uses it up.
    pub async fn set_state(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        from: u64,
        operation: &OperationState,
        takes_answer: bool,
    ) -> Result<()> {
        let in_place = operation.charm_in_place().map(str::to_owned);
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                put_operation(tx, &model, &unit, from, &operation).await?;
                if let Some(url) = in_place {
                    put_charm_in_place(tx, &model, &unit, &url).await?;
                }
                if takes_answer {
                    take_answer(tx, &model, &unit).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Records that a hook begins, and the statuses that say so. With the created hook of a
    /// relation the unit enters its scope. A person's answer to a failure is taken away, unless
    /// one came after the hook was chosen and keeps it from beginning: error code `answered`.
    pub async fn begin_hook(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        begin: HookBegin,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(&begin.operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                let found = find_answer(tx, &model, &unit).await?;
                if !found.lets_begin(begin.answer) {
                    return Err(StoreError::Refused {
                        refusal: Refusal::Answered,
                        message: format!("unit {unit} was told to go on without its failed hook"),
                    });
                }
                if found != Resolved::None {
                    take_answer(tx, &model, &unit).await?;
                }
                relation::begin(tx, &model, &unit, &begin.operation).await?;
                put_operation(tx, &model, &unit, begin.from, &operation).await?;
                if let Some(agent) = &begin.agent {
                    status::put_agent(tx, &model, &unit, agent).await?;
                }
                if let Some(workload) = &begin.workload {
                    status::put_workload(tx, &model, &unit, workload).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Records that a hook failed: the state, the agent's error and the run.
    pub async fn fail_hook(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        from: u64,
        operation: &OperationState,
        agent: Status<Agent>,
        run: HookReport,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                let id = tx.next_id();
                tx.cause = Cause::Run(id).to_string();
                put_operation(tx, &model, &unit, from, &operation).await?;
                status::put_agent(tx, &model, &unit, &agent).await?;
                runs::insert(tx, &model, &unit, &run, id).await
            })
        })
        .await
    }

    /// The commit point of a hook: its effects, the operation state that follows, its status and
    /// its run, all or nothing. A person's answer to a failure is taken away, since a hook that is
    /// skipped does not begin. What the controller says of the unit at that moment.
    pub async fn commit_hook_run(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        mut done: HookCommit,
    ) -> Result<Committed> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(&done.operation)?);
        // Only a hook that writes into a relation passes the point below, so that a test can tell
        // which one it was.
        let tells_others = !done.effects.relations.is_empty();
        let is_task = done.task.is_some();
        let keep = self.lines_kept(done.records.len());
        let committed = self.write(move |tx| {
            Box::pin(async move {
                let effects = &done.effects;
                let row = tx.db.one(UNIT, params![&model, &unit]).await?;
                let mut row = row.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                commit::may_change(&unit, row.life, effects)?;
                // What is changed here names the run as its cause. A hook that the charm does not have passes on
                // why the unit leaves.
                let run_id = match done.run {
                    Some(_) => tx.next_id(),
                    None => 0,
                };
                tx.cause = match (run_id, row.life.is_alive()) {
                    (0, true) => String::new(),
                    (0, false) => row.cause.to_string(),
                    (id, _) => Cause::Run(id).to_string(),
                };
                let of = Committing {
                    model: &model,
                    unit: &unit,
                    hook: done.hook.as_ref(),
                    task: done.task,
                    sealed: &done.sealed,
                    row: &row,
                };
                for step in commit::steps(done.hook.as_ref(), &done.absent) {
                    match step {
                        Step::Enter(hook) => relation::created(tx, &model, &unit, hook).await?,
                        Step::Effects => effects::apply(tx, of, effects).await?,
                        Step::Leave(hook) => {
                            // A unit that is removed leaves because of that, which is known for longer than its
                            // run.
                            let leaves = !row.life.is_alive();
                            let run = leaves
                                .then(|| std::mem::replace(&mut tx.cause, row.cause.to_string()));
                            relation::broken(tx, &model, &unit, hook).await?;
                            crate::storage::let_go(tx, &model, &unit, hook).await?;
                            if let Some(run) = run {
                                tx.cause = run;
                            }
                        }
                        Step::Operation => {
                            put_operation(tx, &model, &unit, done.from, &operation).await?;
                        }
                        Step::Record => {
                            if let Some(workload) = &done.workload {
                                status::put_workload(tx, &model, &unit, workload).await?;
                            }
                            if let Some(run) = &done.run {
                                runs::insert(tx, &model, &unit, run, run_id).await?;
                            }
                            let about = Tag::Unit(unit.clone());
                            let records = std::mem::take(&mut done.records).into_iter();
                            let records = records.map(|record| LogRecord {
                                entity: about.clone(),
                                ..record
                            });
                            log::append(tx, &model, records, keep).await?;
                        }
                    }
                }
                if !effects.secrets.changes_nothing() {
                    // Whatever there is to be looked for, it may be there since now.
                    row.secrets = 1;
                }
                if !effects.storage.changes_nothing() {
                    row.storage = 1;
                }
                let (known, now) = (&done.known, tx.now);
                let mut told = told(&mut tx.db, &model, &unit, row, &known.config, now).await?;
                if !effects.leader.is_empty() {
                    told.remote.leader_settings_version =
                        leader_settings_version(tx, &model, &unit).await?;
                }
                // The row was read before.
                told.remote.reboot_wanted |= !effects.reboot.changes_nothing();
                if let Some(workload) = done.workload {
                    told.view.workload = workload;
                }
                let idle = done.rests && Known::of_remote(&told.remote) == known.remote;
                if idle {
                    status::put_agent(tx, &model, &unit, &agent_idle()).await?;
                }
                // The row was read before.
                if done.task.is_some() {
                    told.remote.task = uniter::due_task(&mut tx.db, &model, &unit).await?;
                } else if told.remote.resolved != Resolved::None {
                    take_answer(tx, &model, &unit).await?;
                    told.remote.resolved = Resolved::None;
                }
                Ok(Committed { told, idle })
            })
        });
        let committed = committed.await?;
        if tells_others {
            periapt_engine::failpoint::reach("store-after-hook-commit");
        }
        if is_task {
            periapt_engine::failpoint::reach("store-after-task-commit");
        }
        Ok(committed)
    }
}

async fn leader_settings_version(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<u64> {
    let sql = "SELECT version FROM leader_settings WHERE model_uuid = $1 AND application = $2";
    let values = params![model, &unit.application()];
    Ok(tx.db.count(sql, values).await?)
}

columns! {
    struct Answer {
        resolved: Resolved = "resolved" as uniter::resolved,
    }
    const ANSWER = "FROM unit WHERE model_uuid = $1 AND name = $2";
}

async fn find_answer(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<Resolved> {
    let found = tx.db.one(ANSWER, params![model, unit]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))?;
    Ok(found.resolved)
}

async fn take_answer(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "UPDATE unit SET resolved = 'none'
        WHERE model_uuid = $1 AND name = $2 AND resolved <> 'none'";
    if tx.db.execute(sql, params![model, unit]).await? > 0 {
        tx.touch(model, namespace::RESOLVED, unit.as_str());
    }
    Ok(())
}

/// Stores the state that follows the one numbered `from`, of a unit that exists. A write that was
/// decided on anything else is too late: error code `stale`.
async fn put_operation(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    from: u64,
    operation: &str,
) -> Result<()> {
    let sql = match from {
        0 => {
            "INSERT INTO unit_state (model_uuid, unit, operation, seq)
            SELECT model_uuid, name, $3, $4 + 1 FROM unit WHERE model_uuid = $1 AND name = $2
            ON CONFLICT (model_uuid, unit) DO UPDATE SET operation = excluded.operation, seq = excluded.seq
            WHERE unit_state.seq = 0"
        }
        _ => {
            "UPDATE unit_state SET operation = $3, seq = $4 + 1
            WHERE model_uuid = $1 AND unit = $2 AND seq = $4"
        }
    };
    if tx
        .db
        .execute(sql, params![model, unit, operation, from])
        .await?
        > 0
    {
        return Ok(());
    }
    crate::unit::require(&mut tx.db, model, unit).await?;
    Err(StoreError::Refused {
        refusal: Refusal::Stale,
        message: format!("the operation of unit {unit} was written since {from} was read"),
    })
}

async fn put_charm_in_place(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    url: &str,
) -> Result<()> {
    let url: CharmUrl = url.parse()?;
    let sql = "UPDATE unit SET charm_url = $3 WHERE model_uuid = $1 AND name = $2
        AND (charm_url IS NULL OR charm_url <> $3)";
    let values = params![model, unit, url.to_string()];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
        grant::unit_changed(tx, model, &unit.application()).await?;
    }
    Ok(())
}
