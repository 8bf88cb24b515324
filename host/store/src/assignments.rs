//! Assigning staged units to machines: each gets one of its own.

use periapt_model::{Life, MachineId, ModelUuid, UnitName};
use periapt_wire::agent::unit_assigner::Assigned;

use crate::changes::namespace;
use crate::db::params;
use crate::status::{self, kind};
use crate::tx::Tx;
use crate::{Result, Store};

impl Store {
    /// Units with a staged assignment.
    pub async fn unit_assignments(&self, model: &ModelUuid) -> Result<Vec<UnitName>> {
        let sql = "SELECT unit FROM unit_assignment WHERE model_uuid = $1 ORDER BY unit";
        let rows = self.glance().await?.fetch(sql, params![model]).await?;
        rows.iter().map(|row| row.parse(0, "unit name")).collect()
    }

    /// Makes a machine for each unit and binds them. A unit that has one already, is dying or
    /// is gone needs none; that counts as success. The staged row goes with success.
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

async fn assign(tx: &mut Tx, model: &ModelUuid, units: Vec<UnitName>) -> Result<Vec<Assigned>> {
    let mut unbound = Vec::new();
    for unit in &units {
        let sql = "SELECT life, machine_id FROM unit WHERE model_uuid = $1 AND name = $2";
        if let Some(row) = tx.db.fetch_optional(sql, params![model, unit]).await? {
            let life: Life = row.parse(0, "life")?;
            if life.is_alive() && row.optional_text(1)?.is_none() && !unbound.contains(unit) {
                unbound.push(unit.clone());
            }
        }
    }
    if !unbound.is_empty() {
        make_machines(tx, model, &unbound).await?;
    }
    for unit in &units {
        let sql = "DELETE FROM unit_assignment WHERE model_uuid = $1 AND unit = $2";
        if tx.db.execute(sql, params![model, unit]).await? > 0 {
            tx.touch(model, namespace::UNIT_ASSIGNMENT, unit.as_str());
        }
    }
    Ok(units
        .into_iter()
        .map(|unit| Assigned { unit, error: None })
        .collect())
}

async fn make_machines(tx: &mut Tx, model: &ModelUuid, units: &[UnitName]) -> Result<()> {
    let first = tx
        .take_numbers(model, "machine", units.len() as u64)
        .await?;
    let machines: Vec<MachineId> = (first..)
        .take(units.len())
        .map(|number| number.to_string().parse())
        .collect::<std::result::Result<_, _>>()?;
    let rows = machines
        .iter()
        .map(|id| params![model, id, Life::Alive, "", "[]", 1_i64, tx.now])
        .collect();
    let head =
        "INSERT INTO machine (model_uuid, id, life, hardware, addresses, for_unit, created_at)";
    tx.db.insert_many(head, "", rows).await?;
    let mut statuses = Vec::with_capacity(machines.len() * 2);
    for (unit, machine) in units.iter().zip(&machines) {
        let sql = "UPDATE unit SET machine_id = $3 WHERE model_uuid = $1 AND name = $2";
        tx.db.execute(sql, params![model, unit, machine]).await?;
        statuses.push((kind::INSTANCE, machine.to_string(), "pending", ""));
        statuses.push((kind::MACHINE, machine.to_string(), "pending", ""));
        tx.touch(model, namespace::UNIT, unit.as_str());
        tx.touch(model, namespace::MACHINE, machine.as_str());
        tx.touch(model, namespace::MACHINE_UNITS, machine.as_str());
    }
    status::put_first(tx, model, &statuses).await
}
