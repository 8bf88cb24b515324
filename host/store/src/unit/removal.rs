//! The way out of units. Every removal is either done at once or leaves somebody a task: the
//! unit's agent, the deployer, or the clean-up queue.

use periapt_model::refusal::Subject;
use periapt_model::removal::{Departure, Force, Going, Leaving, NextStep};
use periapt_model::task::Receiver;
use periapt_model::{Life, MachineId, ModelUuid, Refusal, UnitName};
use periapt_wire::rest::Removal;

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::db::{Tx, columns, optional_word, params, word};
use crate::error::StoreError;
use crate::storage::{self, Departing};
use crate::tables::{self, With};
use crate::{Result, Store, application, lease, machine, operation, relation, secret, why};

/// A unit on its way out.
pub(crate) struct LeavingUnit {
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    pub state: Leaving,
}

/// Begins a job that removes with this force; whether by force.
pub(crate) fn begin(tx: &mut Tx, force: Force) -> bool {
    tx.at_once = force == Force::AtOnce;
    force != Force::No
}

impl Store {
    /// Begins to remove a unit. One that no agent can have started is gone at once; another
    /// runs its stop and remove hooks first. With `force` it goes after two waits of
    /// `force-wait` whatever happens, and without as if forced once the model's
    /// `removal-deadline` has passed. Asked again it is the same. Its storage that outlives units stays,
    /// unless it is to go with it.
    pub async fn remove_unit(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        going: impl Into<Going>,
    ) -> Result<Removal> {
        let (model, unit, going) = (model.clone(), unit.clone(), going.into());
        self.write(move |tx| {
            Box::pin(async move {
                let force = begin(tx, going.force);
                let found = leaving(tx, &model, &unit).await?;
                let found = found.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                if let Some(principal) = &found.principal {
                    return Err(StoreError::Refused {
                        refusal: Refusal::UnitIsSubordinate,
                        message: format!(
                            "unit {unit} is subordinate to {principal}; it goes with that unit, or with the relation that brought it"
                        ),
                    });
                }
                let mut removal = Removal {
                    units: vec![unit],
                    machines: found.machine.into_iter().collect(),
                    ..Removal::default()
                };
                depart(tx, &model, &mut removal, going.destroy_storage, force).await?;
                Ok(removal)
            })
        })
        .await
    }

    /// Moves a dying unit to dead, when its hooks have run; its leadership ends at once.
    pub async fn ensure_unit_dead(&self, model: &ModelUuid, unit: &UnitName) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = leaving(tx, &model, &unit).await?;
                let found = found.ok_or_else(|| StoreError::not_found(Subject::Unit, &unit))?;
                match found.state.life {
                    Life::Dead => return Ok(()),
                    Life::Alive => {
                        return Err(StoreError::Refused {
                            refusal: Refusal::UnitAlive,
                            message: format!(
                                "unit {unit} is alive; only a dying one can be made dead"
                            ),
                        });
                    }
                    Life::Dying => {}
                }
                require_no_subordinates(tx, &model, &unit).await?;
                storage::require_let_go(&mut tx.db, &model, &unit).await?;
                set_life(tx, &model, &unit, found.machine.as_ref(), Life::Dead).await?;
                relation::leave_all(tx, &model, &unit).await?;
                lease::rows::release_leadership(tx, &model, &unit).await
            })
        })
        .await
    }

    /// Removes a dead unit, or a dying one that no agent ever started, for the deployer. One
    /// that is gone already is fine.
    pub async fn remove_dead_unit(&self, model: &ModelUuid, unit: &UnitName) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let Some(found) = leaving(tx, &model, &unit).await? else {
                    return Ok(());
                };
                if !found.state.is_removable() {
                    return Err(StoreError::Refused {
                        refusal: Refusal::UnitNotDead,
                        message: format!(
                            "unit {unit} is {} and cannot be removed yet",
                            found.state.life
                        ),
                    });
                }
                require_no_subordinates(tx, &model, &unit).await?;
                remove_unit_now(tx, &model, &unit).await
            })
        })
        .await
    }
}

columns! {
    struct LeavingRow {
        life: Life = "unit.life" as word,
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
        principal: Option<UnitName> = "unit.principal" as optional_word,
        forced: bool = "unit.forced",
        status: String = "COALESCE(status.status, 'allocating')",
        states: u64 = "(SELECT COUNT(*) FROM unit_state WHERE unit_state.model_uuid = unit.model_uuid
            AND unit_state.unit = unit.name)",
        instances: u64 = "(SELECT COUNT(*) FROM machine WHERE machine.model_uuid = unit.model_uuid
            AND machine.id = unit.machine_id AND machine.instance_id IS NOT NULL)",
    }
    const LEAVING = "FROM unit LEFT JOIN status ON status.model_uuid = unit.model_uuid
            AND status.kind = 'juju-unit' AND status.entity = unit.name
        WHERE unit.model_uuid = $1 AND unit.name = $2";
}

/// What decides how the unit leaves; none when it is gone.
pub(crate) async fn leaving(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<Option<LeavingUnit>> {
    let row = tx.db.one(LEAVING, params![model, unit]).await?;
    Ok(row.map(|row| LeavingUnit {
        machine: row.machine,
        principal: row.principal,
        state: Leaving {
            life: row.life,
            forced: row.forced,
            never_started: row.status == "allocating" && row.states == 0,
            provisioned: row.instances > 0,
        },
    }))
}

/// Begins to remove the units that a removal names, and says what becomes of their storage.
pub(crate) async fn depart(
    tx: &mut Tx,
    model: &ModelUuid,
    removal: &mut Removal,
    destroy_storage: bool,
    force: bool,
) -> Result<()> {
    let units = removal.units.clone();
    let of = Departing {
        units: &units,
        application: None,
        destroy: destroy_storage,
    };
    storage::departing(tx, model, of, removal).await?;
    for unit in &removal.units {
        destroy_unit(tx, model, unit, force).await?;
    }
    Ok(())
}

/// Begins to remove a unit and those in its container; nothing when it is gone.
pub(crate) async fn destroy_unit(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    force: bool,
) -> Result<()> {
    for subordinate in subordinates(tx, model, unit).await? {
        destroy_one(tx, model, &subordinate, force).await?;
    }
    destroy_one(tx, model, unit, force).await
}

async fn destroy_one(tx: &mut Tx, model: &ModelUuid, unit: &UnitName, force: bool) -> Result<()> {
    let Some(found) = leaving(tx, model, unit).await? else {
        return Ok(());
    };
    let force = match force && tx.at_once {
        true => Force::AtOnce,
        false => force.into(),
    };
    let Departure::Dying(next) = found.state.departure(force) else {
        return remove_unit_now(tx, model, unit).await;
    };
    if found.state.life == Life::Alive {
        set_life(tx, model, unit, found.machine.as_ref(), Life::Dying).await?;
    }
    let step = Kind::ForceDestroyUnit;
    match next {
        NextStep::Now => {
            let sql = "UPDATE unit SET forced = 1 WHERE model_uuid = $1 AND name = $2";
            tx.db.execute(sql, params![model, unit]).await?;
            cleanup::enqueue(tx, model, step, unit.as_str(), true, tx.now).await
        }
        NextStep::AtDeadline => cleanup::enqueue_deadline(tx, model, step, unit.as_str()).await,
        NextStep::Queued => Ok(()),
    }
}

async fn subordinates(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<Vec<UnitName>> {
    let sql = "SELECT name FROM unit WHERE model_uuid = $1 AND principal = $2 ORDER BY name";
    Ok(tx.db.words("unit", sql, params![model, unit]).await?)
}

async fn require_no_subordinates(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let names: Vec<String> = subordinates(tx, model, unit)
        .await?
        .iter()
        .map(UnitName::to_string)
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(StoreError::HasSubordinates {
        unit: unit.to_string(),
        subordinates: names.join(", "),
    })
}

/// Moves a unit on in life and tells whoever watches it or its machine.
pub(crate) async fn set_life(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    machine: Option<&MachineId>,
    life: Life,
) -> Result<()> {
    // That its agent is done is no reason for it to leave.
    let sql = "UPDATE unit SET life = $3, cause = CASE WHEN $3 = 'dead' THEN cause ELSE $4 END
        WHERE model_uuid = $1 AND name = $2 AND life <> 'dead'";
    let values = params![model, unit, life.as_str(), why::cause(tx)];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::UNIT, unit.as_str());
    if let Some(machine) = machine {
        tx.touch(model, namespace::MACHINE_UNITS, machine.as_str());
    }
    match life {
        Life::Dying => storage::unit_leaves(tx, model, unit).await,
        Life::Alive | Life::Dead => Ok(()),
    }
}

/// Removes a unit, those in its container first, and all that is only about them. Scopes are
/// left; a dying application goes with its last unit or relation, and a machine made for units
/// begins to go with its last one.
pub(crate) async fn remove_unit_now(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    for subordinate in subordinates(tx, model, unit).await? {
        remove_one(tx, model, &subordinate).await?;
    }
    remove_one(tx, model, unit).await
}

async fn remove_one(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let Some(found) = leaving(tx, model, unit).await? else {
        return Ok(());
    };
    relation::leave_all(tx, model, unit).await?;
    operation::gone(tx, model, &Receiver::Unit(unit.clone())).await?;
    secret::unit_gone(tx, model, unit).await?;
    storage::unit_gone(tx, model, unit).await?;
    tables::remove(tx, model, With::Unit, unit).await?;
    lease::rows::release_leadership(tx, model, unit).await?;
    tx.touch(model, namespace::UNIT, unit.as_str());
    tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
    if let Some(principal) = &found.principal {
        tx.touch(model, namespace::UNIT, principal.as_str());
    }
    if let Some(machine) = &found.machine {
        tx.touch(model, namespace::MACHINE_UNITS, machine.as_str());
        release_machine(tx, model, machine).await?;
    }
    application::removal::finish(tx, model, &unit.application()).await
}

/// A machine made for units goes with its last one; in a model that goes, any machine does.
async fn release_machine(tx: &mut Tx, model: &ModelUuid, machine: &MachineId) -> Result<()> {
    let sql = "SELECT COUNT(*) FROM machine WHERE model_uuid = $1 AND id = $2 AND life = 'alive'
        AND (for_unit = 1 OR EXISTS (SELECT 1 FROM model WHERE model.uuid = $1 AND model.life <> 'alive'))
        AND NOT EXISTS (SELECT 1 FROM unit WHERE unit.model_uuid = $1 AND unit.machine_id = $2)";
    if tx.db.count(sql, params![model, machine]).await? > 0 {
        machine::destroy(tx, model, machine).await?;
    }
    Ok(())
}
