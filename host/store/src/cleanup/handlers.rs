//! What each kind of item does. A subject that is gone is a task done.

use periapt_model::storage::{NotAStorage, StorageId};
use periapt_model::{ApplicationName, Life, MachineId, ModelUuid, UnitName};

use super::{Item, Kind, enqueue, next_step};
use crate::changes::namespace;
use crate::db::{Tx, params};
use crate::error::StoreError;
use crate::usage::meter;
use crate::{Result, application, grant, machine, relation, storage, unit, why};

/// Between two looks at a machine with units, in microseconds; the last unit to go by force
/// brings the next one forward.
const SHORTEST_WAIT: i64 = 30_000_000;

pub(super) async fn run(tx: &mut Tx, model: &ModelUuid, item: &Item) -> Result<()> {
    let kind =
        Kind::named(&item.kind).ok_or_else(|| StoreError::corrupt("clean-up", &item.kind))?;
    let force = item.force();
    match kind {
        Kind::ApplicationUnits => application_units(tx, model, &item.subject.parse()?, force).await,
        Kind::ModelApplications => model_applications(tx, model, force).await,
        Kind::ModelMachines => model_machines(tx, model, force).await,
        Kind::ForceDestroyUnit => force_destroy_unit(tx, model, &item.subject.parse()?).await,
        Kind::ForceRemoveUnit => force_remove_unit(tx, model, &item.subject.parse()?).await,
        Kind::ForceRelation => relation::force(tx, model, relation_id(&item.subject)?).await,
        Kind::ForceStorage => storage::force(tx, model, &storage_id(&item.subject)?).await,
        Kind::ForceDeadMachine => force_dead_machine(tx, model, &item.subject.parse()?).await,
        Kind::ForceRemoveMachine => force_remove_machine(tx, model, &item.subject.parse()?).await,
        Kind::Meters => meter::review(tx, model).await,
        Kind::HeldRevision => grant::held::review(tx, model, &item.subject.parse()?).await,
    }
}

fn relation_id(subject: &str) -> Result<u64> {
    subject
        .parse()
        .map_err(|error| StoreError::corrupt("clean-up", error))
}

fn storage_id(subject: &str) -> Result<StorageId> {
    subject
        .parse()
        .map_err(|error: NotAStorage| StoreError::corrupt("clean-up", error))
}

async fn application_units(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    force: bool,
) -> Result<()> {
    let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND application = $2 ORDER BY number";
    let units: Vec<UnitName> = tx
        .db
        .words("unit", sql, params![model, application])
        .await?;
    for unit in &units {
        unit::removal::destroy_unit(tx, model, unit, force).await?;
    }
    Ok(())
}

async fn model_applications(tx: &mut Tx, model: &ModelUuid, force: bool) -> Result<()> {
    let sql = "SELECT name FROM application WHERE model_uuid = $1 ORDER BY name";
    let applications: Vec<ApplicationName> =
        tx.db.words("application", sql, params![model]).await?;
    for application in &applications {
        application::removal::destroy(tx, model, application, force).await?;
    }
    Ok(())
}

/// Machines with units follow their last unit.
async fn model_machines(tx: &mut Tx, model: &ModelUuid, force: bool) -> Result<()> {
    let sql = "SELECT id FROM machine WHERE model_uuid = $1 AND life <> 'dead' AND NOT EXISTS (
        SELECT 1 FROM unit WHERE unit.model_uuid = machine.model_uuid AND unit.machine_id = machine.id)";
    let due = next_step(tx, model).await?;
    let machines: Vec<MachineId> = tx.db.words("machine", sql, params![model]).await?;
    for machine in machines {
        machine::destroy(tx, model, &machine).await?;
        if force {
            enqueue(
                tx,
                model,
                Kind::ForceDeadMachine,
                machine.as_str(),
                true,
                due,
            )
            .await?;
        }
    }
    Ok(())
}

async fn force_destroy_unit(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let Some(found) = unit::removal::leaving(tx, model, unit).await? else {
        return Ok(());
    };
    if found.state.life == Life::Alive {
        unit::removal::set_life(tx, model, unit, found.machine.as_ref(), Life::Dying).await?;
    }
    // Already so unless it is the deadline that forces it.
    let sql = "UPDATE unit SET forced = 1 WHERE model_uuid = $1 AND name = $2 AND forced = 0";
    tx.db.execute(sql, params![model, unit]).await?;
    let sql = "UPDATE unit SET resolved = 'no-hooks', resolved_cause = $3 WHERE model_uuid = $1 AND name = $2
        AND EXISTS (SELECT 1 FROM status WHERE status.model_uuid = $1 AND status.kind = 'juju-unit'
            AND status.entity = $2 AND status.status = 'error')";
    let values = params![model, unit, why::cause(tx)];
    if tx.db.execute(sql, values).await? > 0 {
        tx.touch(model, namespace::RESOLVED, unit.as_str());
    }
    let due = next_step(tx, model).await?;
    enqueue(tx, model, Kind::ForceRemoveUnit, unit.as_str(), true, due).await
}

async fn force_remove_unit(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let Some(found) = unit::removal::leaving(tx, model, unit).await? else {
        return Ok(());
    };
    unit::removal::remove_unit_now(tx, model, unit).await?;
    if let Some(machine) = found.machine {
        let due = next_step(tx, model).await?;
        enqueue(
            tx,
            model,
            Kind::ForceDeadMachine,
            machine.as_str(),
            true,
            due,
        )
        .await?;
    }
    Ok(())
}

/// Only of a machine that is dying. Units that it still has go first, by force like it.
async fn force_dead_machine(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    let sql = "SELECT COUNT(unit.name) FROM machine
        LEFT JOIN unit ON unit.model_uuid = machine.model_uuid AND unit.machine_id = machine.id
        WHERE machine.model_uuid = $1 AND machine.id = $2 AND machine.life = 'dying' GROUP BY machine.id";
    let units: Option<u64> = tx.db.scalar(sql, params![model, machine]).await?;
    match units {
        None => Ok(()),
        Some(0) => machine::set_life(tx, model, machine, Life::Dead).await,
        Some(_) => {
            let wait = crate::model::config::force_wait(&mut tx.db, model).await?;
            let due = tx.now.saturating_add(wait.max(SHORTEST_WAIT));
            let kind = Kind::ForceDeadMachine;
            enqueue(tx, model, kind, machine.as_str(), true, due).await
        }
    }
}

/// Of a dead machine: whether its instance still runs is no longer waited for.
async fn force_remove_machine(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    if machine::mark_for_removal(tx, model, machine).await? {
        tracing::warn!(%model, %machine, "the machine goes though its instance was not stopped");
    }
    Ok(())
}
