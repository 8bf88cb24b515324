//! Assigning staged units to machines: each gets the one it was placed on, or one of its own.

use std::collections::BTreeMap;

use periapt_model::constraints::Constraints;
use periapt_model::{ApplicationName, Life, MachineId, ModelUuid, UnitName};
use periapt_wire::agent::unit_assigner::Assigned;

use super::constraints;
use crate::changes::namespace;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, machine, storage};

impl Store {
    /// Units with a staged assignment.
    pub async fn unit_assignments(&self, model: &ModelUuid) -> Result<Vec<UnitName>> {
        let sql = "SELECT unit FROM unit_assignment WHERE model_uuid = $1 ORDER BY unit";
        let mut db = self.glance().await?;
        Ok(db.words("unit", sql, params![model]).await?)
    }

    /// Binds each unit to the machine it was placed on, or to one made for it. A unit that has
    /// one already, is dying or is gone needs none; that counts as success. The staged row goes
    /// with success, and stays where the machine asked for is not to be had.
    pub async fn assign_units(
        &self,
        model: &ModelUuid,
        units: &[UnitName],
    ) -> Result<Vec<Assigned>> {
        let (model, units) = (model.clone(), units.to_vec());
        self.write(move |tx| Box::pin(async move { assign(tx, &model, units).await }))
            .await
    }
}

columns! {
    /// A unit, and where it was placed: on a machine, or nowhere.
    struct Staged {
        life: Life = "unit.life" as word,
        machine: Option<String> = "unit.machine_id",
        placement: String = "COALESCE(unit_assignment.placement, '')",
    }
    const STAGED = "FROM unit
        LEFT JOIN unit_assignment ON unit_assignment.model_uuid = unit.model_uuid
            AND unit_assignment.unit = unit.name
        WHERE unit.model_uuid = $1 AND unit.name = $2";
}

async fn assign(tx: &mut Tx, model: &ModelUuid, units: Vec<UnitName>) -> Result<Vec<Assigned>> {
    let mut homeless = Vec::new();
    let mut errors: BTreeMap<UnitName, String> = BTreeMap::new();
    for unit in &units {
        let Some(staged) = tx.db.one(STAGED, params![model, unit]).await? else {
            continue;
        };
        if !staged.life.is_alive() || staged.machine.is_some() {
            continue;
        }
        if staged.placement.is_empty() {
            if !homeless.contains(unit) {
                homeless.push(unit.clone());
            }
            continue;
        }
        let machine: MachineId = staged.placement.parse()?;
        match machine::require_alive(&mut tx.db, model, &machine).await {
            Ok(()) => bind(tx, model, unit, &machine).await?,
            Err(error @ (StoreError::NotFound { .. } | StoreError::NotAlive { .. })) => {
                errors.insert(unit.clone(), error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    if !homeless.is_empty() {
        let mut known: BTreeMap<ApplicationName, Constraints> = BTreeMap::new();
        let mut wanted = Vec::with_capacity(homeless.len());
        for unit in &homeless {
            let application = unit.application();
            let constraints = match known.get(&application) {
                Some(constraints) => constraints.clone(),
                None => constraints::of_machines(tx, model, &application).await?,
            };
            wanted.push(constraints.clone());
            known.insert(application, constraints);
        }
        let made = machine::make(tx, model, &wanted, true).await?;
        for (unit, machine) in homeless.iter().zip(&made) {
            bind(tx, model, unit, machine).await?;
        }
    }
    for unit in units.iter().filter(|unit| !errors.contains_key(*unit)) {
        let sql = "DELETE FROM unit_assignment WHERE model_uuid = $1 AND unit = $2";
        if tx.db.execute(sql, params![model, unit]).await? > 0 {
            tx.touch(model, namespace::UNIT_ASSIGNMENT, unit.as_str());
        }
    }
    Ok(units
        .into_iter()
        .map(|unit| Assigned {
            error: errors.get(&unit).cloned(),
            unit,
        })
        .collect())
}

async fn bind(tx: &mut Tx, model: &ModelUuid, unit: &UnitName, machine: &MachineId) -> Result<()> {
    let sql = "UPDATE unit SET machine_id = $3 WHERE model_uuid = $1 AND name = $2";
    tx.db.execute(sql, params![model, unit, machine]).await?;
    tx.touch(model, namespace::UNIT, unit.as_str());
    tx.touch(model, namespace::MACHINE_UNITS, machine.as_str());
    storage::unit_placed(tx, model, unit).await
}
