//! What the uniter writes: its operation state, and the effects of a hook in one transaction.

use std::collections::BTreeMap;

use periapt_model::bounds::{
    PORT_RANGES, STATE_BYTES, STATE_KEY_BYTES, STATE_KEYS, STATE_VALUE_BYTES,
};
use periapt_model::hook::{Effects, Info};
use periapt_model::ports::{OpenPorts, PortRange, Protocol};
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::{OperationState, RemoteState, Resolved, agent_idle};
use periapt_model::{Life, MachineId, ModelUuid, UnitName};
use periapt_wire::agent::uniter::{HookCommitted, HookReport};
use periapt_wire::rpc::code;

use crate::changes::namespace;
use crate::db::{PART, Tx, names, params, part_params, to_json};
use crate::error::StoreError;
use crate::uniter::{read_remote, read_resolved, read_surroundings};
use crate::{Result, Store, hook_runs, relations, status};

#[cfg(test)]
mod tests;

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
                if !effects.open_ports.is_empty() || !effects.close_ports.is_empty() {
                    let machine: Option<MachineId> = row.parse_optional(9, "machine")?;
                    let opened: Vec<PortRange> = row.json(10, "opened ports")?;
                    change_ports(tx, &model, &unit, machine, opened, effects).await?;
                }
                if !effects.state.is_empty() {
                    change_state(tx, &model, &unit, &effects.state).await?;
                }
                if let Some(hook) = &commit.hook {
                    relations::created(tx, &model, &unit, hook).await?;
                }
                relations::apply(tx, &model, &unit, commit.hook.as_ref(), effects).await?;
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

/// Sets and deletes keys of a unit's state, within the bounds of [`periapt_model::bounds`].
async fn change_state(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    state: &BTreeMap<String, Option<String>>,
) -> Result<()> {
    let mut rows = Vec::new();
    let mut gone: Vec<&str> = Vec::new();
    for (key, value) in state {
        let Some(value) = value else {
            gone.push(key);
            continue;
        };
        if key.is_empty() || STATE_KEY_BYTES.exceeded_by(key.len()) {
            return Err(too_large(format!(
                "a state key has 1 to {} bytes, this one {}",
                STATE_KEY_BYTES.most,
                key.len()
            )));
        }
        if STATE_VALUE_BYTES.exceeded_by(value.len()) {
            return Err(too_large(format!(
                "the state value of \"{key}\" has {} bytes, more than the {} allowed",
                value.len(),
                STATE_VALUE_BYTES.most
            )));
        }
        rows.push(params![model, unit, key, value]);
    }
    for count in [rows.len(), gone.len()] {
        require_keys(count as u64)?;
    }
    for part in gone.chunks(PART) {
        let sql = names!(
            "DELETE FROM charm_state WHERE model_uuid = $1 AND key IN",
            "AND unit = $18"
        );
        let mut values = part_params(model, part);
        values.extend(params![unit]);
        tx.db.execute(sql, values).await?;
    }
    if rows.is_empty() {
        return Ok(());
    }
    tx.db
        .insert_many(
            "INSERT INTO charm_state (model_uuid, unit, key, value)",
            "ON CONFLICT (model_uuid, unit, key) DO UPDATE SET value = excluded.value",
            rows,
        )
        .await?;
    let sql =
        "SELECT CAST(COALESCE(SUM(OCTET_LENGTH(key) + OCTET_LENGTH(value)), 0) AS BIGINT), COUNT(*)
        FROM charm_state WHERE model_uuid = $1 AND unit = $2";
    let Some(row) = tx.db.fetch_optional(sql, params![model, unit]).await? else {
        return Ok(());
    };
    require_keys(row.count(1)?)?;
    let total = row.count(0)?;
    if total > STATE_BYTES.most {
        return Err(too_large(format!(
            "the unit's state would have {total} bytes, more than the {} allowed",
            STATE_BYTES.most
        )));
    }
    Ok(())
}

fn require_keys(count: u64) -> Result<()> {
    if count > STATE_KEYS.most {
        return Err(too_large(format!(
            "the unit's state would have {count} keys, more than the {} allowed",
            STATE_KEYS.most
        )));
    }
    Ok(())
}

/// A bound of what a unit keeps is passed.
pub(crate) fn too_large(message: String) -> StoreError {
    StoreError::Invalid {
        code: "quota-limit-exceeded",
        message,
    }
}

/// Closes, then opens. A range that another unit of the machine, or this one, has opened in
/// part is refused, and so is one too many.
async fn change_ports(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    machine: Option<MachineId>,
    before: Vec<PortRange>,
    effects: &Effects,
) -> Result<()> {
    let mut after: OpenPorts = before.iter().copied().collect();
    for range in &effects.close_ports {
        after.remove(range);
    }
    let mut owners: Vec<String> = Vec::new();
    let mut others: OpenPorts<usize> = OpenPorts::default();
    if let Some(machine) = &machine
        && !effects.open_ports.is_empty()
    {
        let sql = "SELECT name, opened_ports FROM unit
            WHERE model_uuid = $1 AND machine_id = $2 AND name <> $3 AND opened_ports <> '[]'";
        for row in tx.db.fetch(sql, params![model, machine, unit]).await? {
            let ranges: Vec<PortRange> = row.json(1, "opened ports")?;
            // Every unit may answer to pings.
            let ranges = ranges
                .into_iter()
                .filter(|range| range.protocol != Protocol::Icmp);
            for range in ranges {
                others.insert(range, owners.len());
            }
            owners.push(row.text(0)?);
        }
    }
    for range in &effects.open_ports {
        let conflict = |owner: &str, open: PortRange| StoreError::Invalid {
            code: "port-conflict",
            message: format!("cannot open {range} for {unit}: {owner} has opened {open}"),
        };
        if let Some((open, owner)) = others.meets(range) {
            let owner = owners.get(*owner).map_or("another unit", String::as_str);
            return Err(conflict(owner, open));
        }
        match after.meets(range) {
            Some((open, ())) if open == *range => continue,
            Some((open, ())) => return Err(conflict(unit.as_str(), open)),
            None => after.insert(*range, ()),
        }
        if PORT_RANGES.exceeded_by(after.len()) {
            return Err(StoreError::Invalid {
                code: "too-many-ports",
                message: format!(
                    "cannot open {range} for {unit}: it has {} port ranges open, the most there may be",
                    PORT_RANGES.most
                ),
            });
        }
    }
    let after: Vec<PortRange> = after.iter().collect();
    if after != before {
        let sql = "UPDATE unit SET opened_ports = $3 WHERE model_uuid = $1 AND name = $2";
        tx.db
            .execute(sql, params![model, unit, to_json(&after)?])
            .await?;
        tx.touch(model, namespace::PORT, unit.as_str());
    }
    Ok(())
}
