//! What the uniter writes: its operation state, and the effects of a hook in one transaction
//! (`effects` is the list of them).

use periapt_model::hook::{Effects, Info};
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::{OperationState, RemoteState, Resolved, agent_idle};
use periapt_model::{Life, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{HookCommitted, HookReport};
use periapt_wire::rpc::code;

use crate::changes::namespace;
use crate::db::{Tx, params, to_json};
use crate::error::StoreError;
use crate::uniter::{read_remote, read_resolved, read_surroundings};
use crate::{Result, Store, hook_runs, relations, status};

mod effects;
mod ports;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use effects::{Committing, too_large};

/// What ends a hook that went well.
#[derive(Clone, Debug)]
pub struct HookCommit {
    pub effects: Effects,
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
    /// The agent is idle if this is still what the controller says.
    pub idle_at: Option<RemoteState>,
}

impl Store {
    /// Stores the operation state, and takes a person's answer to a failure away if the state
    /// uses it up.
    pub async fn set_state(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        operation: &OperationState,
        takes_answer: bool,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                put_operation(tx, &model, &unit, operation).await?;
                match takes_answer {
                    true => take_answer(tx, &model, &unit).await,
                    false => Ok(()),
                }
            })
        })
        .await
    }

    /// Records that a hook begins, and the statuses that say so. With the created hook of a
    /// relation the unit enters its scope. A person's answer to a failure is taken away, unless
    /// one came after the hook was chosen (with `answer` there) and keeps it from beginning:
    /// error code `answered`.
    pub async fn begin_hook(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        operation: &OperationState,
        answer: Resolved,
        agent: Option<Status<Agent>>,
        workload: Option<Status<Workload>>,
    ) -> Result<()> {
        let (model, unit, begun) = (model.clone(), unit.clone(), operation.clone());
        let operation = to_json(operation)?;
        self.write(move |tx| {
            Box::pin(async move {
                let found = find_answer(tx, &model, &unit).await?;
                if !found.lets_begin(answer) {
                    return Err(StoreError::Invalid {
                        code: code::ANSWERED,
                        message: format!("unit {unit} was told to go on without its failed hook"),
                    });
                }
                if found != Resolved::None {
                    take_answer(tx, &model, &unit).await?;
                }
                relations::begin(tx, &model, &unit, &begun).await?;
                put_operation(tx, &model, &unit, operation).await?;
                if let Some(agent) = &agent {
                    status::put_agent(tx, &model, &unit, agent).await?;
                }
                if let Some(workload) = &workload {
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
        operation: &OperationState,
        agent: Status<Agent>,
        run: HookReport,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                put_operation(tx, &model, &unit, operation).await?;
                status::put_agent(tx, &model, &unit, &agent).await?;
                hook_runs::insert(tx, &model, &unit, &run).await
            })
        })
        .await
    }

    /// [`Store::commit_hook_run`] of effects alone.
    pub async fn commit_hook(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        effects: Effects,
        operation: &OperationState,
    ) -> Result<()> {
        let commit = HookCommit {
            effects,
            operation: operation.clone(),
            workload: None,
            hook: None,
            absent: Vec::new(),
            run: None,
            idle_at: None,
        };
        self.commit_hook_run(model, unit, commit).await?;
        Ok(())
    }

    /// The commit point of a hook: its effects, the operation state that follows, its status and
    /// its run, all or nothing. A person's answer to a failure is taken away, since a hook that is
    /// skipped does not begin. What the controller says of the unit at that moment.
    pub async fn commit_hook_run(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        commit: HookCommit,
    ) -> Result<HookCommitted> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(&commit.operation)?);
        // Only a hook that writes into a relation passes the point below, so that a test can tell
        // which one it was.
        let tells_others = !commit.effects.relations.is_empty();
        let committed = self.write(move |tx| {
            Box::pin(async move {
                let effects = &commit.effects;
                let row = tx
                    .db
                    .fetch_optional(COMMITTING, params![&model, &unit])
                    .await?;
                let row = row.ok_or_else(|| StoreError::not_found("unit", &unit))?;
                let mut remote = read_remote(&row)?;
                if remote.life == Life::Dead && !effects.is_empty() {
                    return Err(StoreError::NotAlive {
                        kind: "unit",
                        name: unit.to_string(),
                        life: remote.life,
                    });
                }
                if let Some(hook) = &commit.hook {
                    relations::created(tx, &model, &unit, hook).await?;
                }
                let of = Committing {
                    model: &model,
                    unit: &unit,
                    hook: commit.hook.as_ref(),
                    row: &row,
                };
                effects::apply(tx, of, effects).await?;
                if let Some(hook) = &commit.hook {
                    relations::broken(tx, &model, &unit, hook).await?;
                }
                for hook in &commit.absent {
                    relations::created(tx, &model, &unit, hook).await?;
                    relations::broken(tx, &model, &unit, hook).await?;
                }
                put_operation(tx, &model, &unit, operation).await?;
                if remote.resolved != Resolved::None {
                    take_answer(tx, &model, &unit).await?;
                    remote.resolved = Resolved::None;
                }
                if let Some(workload) = &commit.workload {
                    status::put_workload(tx, &model, &unit, workload).await?;
                }
                if let Some(run) = &commit.run {
                    hook_runs::insert(tx, &model, &unit, run).await?;
                }
                if !effects.leader.is_empty() {
                    // It may have just been raised.
                    remote.leader_settings_version =
                        leader_settings_version(tx, &model, &unit).await?;
                }
                read_surroundings(&mut tx.db, &model, &unit, &row, &mut remote).await?;
                let idle = commit
                    .idle_at
                    .is_some_and(|seen| same_for_all(seen) == remote);
                if idle {
                    status::put_agent(tx, &model, &unit, &agent_idle()).await?;
                }
                Ok(HookCommitted { remote, idle })
            })
        });
        let committed = committed.await?;
        if tells_others {
            periapt_engine::failpoint::reach("store-after-hook-commit");
        }
        Ok(committed)
    }
}

const COMMITTING: &str = "SELECT unit.life, unit.resolved, application.charm_url, application.charm_modified_version,
        application.force_charm, application.config_hash,
        COALESCE((SELECT version FROM leader_settings WHERE leader_settings.model_uuid = unit.model_uuid
            AND leader_settings.application = unit.application), 0),
        (SELECT COUNT(*) FROM relation_endpoint WHERE relation_endpoint.model_uuid = unit.model_uuid
            AND relation_endpoint.application = unit.application),
        unit.principal, unit.machine_id, unit.opened_ports
    FROM unit
    JOIN application ON application.model_uuid = unit.model_uuid AND application.name = unit.application
    WHERE unit.model_uuid = $1 AND unit.name = $2";

async fn leader_settings_version(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<u64> {
    let sql = "SELECT version FROM leader_settings WHERE model_uuid = $1 AND application = $2";
    let values = params![model, &unit.application()];
    Ok(tx.db.count(sql, values).await?)
}

/// Without what only the agent knows, and with the answer taken away as the commit does.
fn same_for_all(remote: RemoteState) -> RemoteState {
    RemoteState {
        resolved: Resolved::None,
        leader: false,
        retry_hook_version: 0,
        update_status_version: 0,
        ..remote
    }
}

async fn find_answer(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<Resolved> {
    let sql = "SELECT resolved FROM unit WHERE model_uuid = $1 AND name = $2";
    let row = tx.db.fetch_optional(sql, params![model, unit]).await?;
    let row = row.ok_or_else(|| StoreError::not_found("unit", unit))?;
    read_resolved(row.str(0)?)
}

async fn take_answer(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "UPDATE unit SET resolved = 'none'
        WHERE model_uuid = $1 AND name = $2 AND resolved <> 'none'";
    if tx.db.execute(sql, params![model, unit]).await? > 0 {
        tx.touch(model, namespace::RESOLVED, unit.as_str());
    }
    Ok(())
}

/// Stores the state of a unit that exists. The same again writes nothing.
async fn put_operation(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    operation: String,
) -> Result<()> {
    let sql = "INSERT INTO unit_state (model_uuid, unit, operation)
        SELECT model_uuid, name, $3 FROM unit WHERE model_uuid = $1 AND name = $2
        ON CONFLICT (model_uuid, unit) DO UPDATE SET operation = excluded.operation
        WHERE unit_state.operation <> excluded.operation";
    if tx.db.execute(sql, params![model, unit, operation]).await? == 0 {
        status::require_unit(&mut tx.db, model, unit).await?;
    }
    Ok(())
}
