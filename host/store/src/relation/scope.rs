//! Entering and leaving the scope of a relation. Both are steps of a hook's transaction: a unit
//! enters as its created hook begins and leaves as its broken hook is committed.

use periapt_model::cause::Cause;
use periapt_model::hook::{Info, Kind, commit};
use periapt_model::refusal::Subject;
use periapt_model::uniter::{OperationKind, OperationState};
use periapt_model::{Life, MachineId, ModelUuid, UnitName};

use super::rows::{self, Relation};
use super::{removal, subordinates};
use crate::db::{Tx, columns, json, optional_word, params, to_json, word};
use crate::error::StoreError;
use crate::{Result, why};

/// A unit that enters, with what it publishes.
pub(super) struct Entering {
    pub name: UnitName,
    /// The unit whose container it lives in, or itself.
    pub root: UnitName,
    pub machine: Option<MachineId>,
    life: Life,
    address: Option<String>,
    /// What it enters because of.
    pub cause: Cause,
}

/// Enters the scope if the operation is the created hook of a relation.
pub(crate) async fn begin(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    operation: &OperationState,
) -> Result<()> {
    match &operation.hook {
        Some(hook) if operation.kind == OperationKind::RunHook => {
            created(tx, model, unit, hook).await
        }
        _ => Ok(()),
    }
}

/// Enters the scope if the hook is the created hook of a relation; again is the same.
pub(crate) async fn created(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    hook: &Info,
) -> Result<()> {
    let Some(event) = commit::event(hook, Kind::RelationCreated) else {
        return Ok(());
    };
    let id = event.hook.relation;
    let Some(relation) = rows::find(&mut tx.db, model, id).await? else {
        let recorded = recorded(tx, model, unit).await?;
        return Ok(commit::enters_gone(unit, id, hook, recorded.as_ref())?);
    };
    enter(tx, model, unit, &relation).await
}

/// Leaves the scope if the hook is the broken hook of a relation.
pub(crate) async fn broken(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    hook: &Info,
) -> Result<()> {
    let Some(event) = commit::event(hook, Kind::RelationBroken) else {
        return Ok(());
    };
    match rows::find(&mut tx.db, model, event.hook.relation).await? {
        Some(relation) => leave(tx, model, unit, &relation).await,
        None => Ok(()),
    }
}

async fn recorded(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Option<OperationState>> {
    let sql = "SELECT operation FROM unit_state WHERE model_uuid = $1 AND unit = $2";
    let values = params![model, unit];
    Ok(tx.db.document("operation state", sql, values).await?)
}

columns! {
    /// What a unit left as it was in the scope before.
    struct Before {
        in_scope: bool = "in_scope",
        version: u64 = "version",
    }
    const BEFORE = "FROM relation_unit
        WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3";
}

async fn enter(tx: &mut Tx, model: &ModelUuid, unit: &UnitName, relation: &Relation) -> Result<()> {
    let key = params![model, relation.id, unit];
    let version = match tx.db.one(BEFORE, key).await? {
        Some(before) if before.in_scope => return Ok(()),
        Some(before) => before.version + 1,
        None => 1,
    };
    let application = unit.application();
    let Some((mine, other)) = relation.seen_by(&application) else {
        return Err(commit::not_in_scope(unit, relation.id).into());
    };
    let mut entering = entering(tx, model, unit).await?;
    // Whether its charm has a hook for that changes nothing about it.
    entering.cause = Cause::newest([&entering.cause, &relation.cause]);
    let of_relation = (relation.life, relation.suspended);
    commit::may_enter(unit, entering.life, &relation.key, of_relation)?;
    let container = match relation.container {
        true => {
            let old = subordinates::ensure(tx, model, &entering, &other.application).await?;
            if let Some(old) = old {
                return Err(commit::not_yet(unit, &relation.key, old).into());
            }
            entering.root.as_str()
        }
        false => "",
    };
    let settings = to_json(&commit::published(entering.address.as_deref()))?;
    let sql = "INSERT INTO relation_unit (model_uuid, relation_id, unit, application, endpoint, container,
            in_scope, settings, version, cause)
        VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9)
        ON CONFLICT (model_uuid, relation_id, unit) DO UPDATE
        SET in_scope = 1, settings = excluded.settings, version = excluded.version, container = excluded.container,
            cause = excluded.cause";
    let values = params![
        model,
        relation.id,
        unit,
        &application,
        &mine.name,
        container,
        settings,
        version,
        entering.cause.to_string()
    ];
    tx.db.execute(sql, values).await?;
    rows::touch_units(tx, model, relation, &application, container);
    Ok(())
}

columns! {
    struct EnteringRow {
        life: Life = "unit.life" as word,
        principal: Option<UnitName> = "unit.principal" as optional_word,
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
        addresses: Vec<String> = "COALESCE(machine.addresses, '[]')" as json,
        cause: Cause = "unit.cause" as word,
    }
    const ENTERING = "FROM unit
        LEFT JOIN machine ON machine.model_uuid = unit.model_uuid AND machine.id = unit.machine_id
        WHERE unit.model_uuid = $1 AND unit.name = $2";
}

async fn entering(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<Entering> {
    let row = tx.db.one(ENTERING, params![model, unit]).await?;
    let row = row.ok_or_else(|| StoreError::not_found(Subject::Unit, unit))?;
    Ok(Entering {
        name: unit.clone(),
        root: row.principal.unwrap_or_else(|| unit.clone()),
        machine: row.machine,
        life: row.life,
        address: row.addresses.into_iter().next(),
        cause: row.cause,
    })
}

/// Leaves one scope. The last one to leave a dying relation takes it along.
pub(crate) async fn leave(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    relation: &Relation,
) -> Result<()> {
    let sql = "UPDATE relation_unit SET in_scope = 0, cause = $4
        WHERE model_uuid = $1 AND relation_id = $2 AND unit = $3 AND in_scope = 1
        RETURNING container";
    let cause = match relation.is_open() || relation.cause.is_unknown() {
        true => why::cause(tx),
        // Whoever ended the relation had all of its units leave.
        false => relation.cause.to_string(),
    };
    let key = params![model, relation.id, unit, cause];
    let left: Option<String> = tx.db.scalar(sql, key).await?;
    if let Some(container) = left {
        rows::touch_units(tx, model, relation, &unit.application(), &container);
    }
    if relation.life.is_alive() || !rows::is_empty(&mut tx.db, model, relation.id).await? {
        return Ok(());
    }
    removal::remove_now(tx, model, relation).await
}

/// Leaves every scope, as a unit does that is dead or gone.
pub(crate) async fn leave_all(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    for relation in rows::entered(&mut tx.db, model, unit).await? {
        leave(tx, model, unit, &relation).await?;
    }
    Ok(())
}
