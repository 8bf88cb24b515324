//! What the uniter writes: its operation state, and the effects of a hook in one transaction.

use std::collections::BTreeMap;

use periapt_model::hook::{Effects, STATE_KEY_BYTES, STATE_TOTAL_BYTES, STATE_VALUE_BYTES};
use periapt_model::ports::{PortRange, Protocol};
use periapt_model::uniter::OperationState;
use periapt_model::{Life, MachineId, ModelUuid, UnitName};

use crate::changes::namespace;
use crate::db::{params, to_json};
use crate::error::StoreError;
use crate::tx::Tx;
use crate::{Result, Store};

#[cfg(test)]
mod tests;

impl Store {
    /// Stores the operation state.
    pub async fn set_state(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        operation: &OperationState,
    ) -> Result<()> {
        self.commit_hook(model, unit, Effects::default(), operation)
            .await
    }

    /// The commit point of a hook: its effects and the operation state that follows, all or
    /// nothing. The same commit again leaves the same state.
    pub async fn commit_hook(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        effects: Effects,
        operation: &OperationState,
    ) -> Result<()> {
        let (model, unit, operation) = (model.clone(), unit.clone(), to_json(operation)?);
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT life, machine_id, opened_ports FROM unit WHERE model_uuid = $1 AND name = $2";
                let row = tx.db.fetch_optional(sql, params![&model, &unit]).await?;
                let row = row.ok_or_else(|| StoreError::not_found("unit", &unit))?;
                let life: Life = row.parse(0, "life")?;
                if life == Life::Dead && !effects.is_empty() {
                    return Err(StoreError::NotAlive { kind: "unit", name: unit.to_string(), life });
                }
                if !effects.open_ports.is_empty() || !effects.close_ports.is_empty() {
                    let machine: Option<MachineId> = row.parse_optional(1, "machine")?;
                    let opened: Vec<PortRange> = row.json(2, "opened ports")?;
                    change_ports(tx, &model, &unit, machine, opened, &effects).await?;
                }
                if !effects.state.is_empty() {
                    change_state(tx, &model, &unit, &effects.state).await?;
                }
                let sql = "INSERT INTO unit_state (model_uuid, unit, operation) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid, unit) DO UPDATE SET operation = excluded.operation
                    WHERE unit_state.operation <> excluded.operation";
                tx.db.execute(sql, params![&model, &unit, operation]).await.map(|_| ())
            })
        })
        .await
    }
}

async fn change_state(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    state: &BTreeMap<String, Option<String>>,
) -> Result<()> {
    let too_large = |message: String| StoreError::Invalid {
        code: "quota limit exceeded",
        message,
    };
    let mut rows = Vec::new();
    for (key, value) in state {
        let Some(value) = value else {
            let sql = "DELETE FROM charm_state WHERE model_uuid = $1 AND unit = $2 AND key = $3";
            tx.db.execute(sql, params![model, unit, key]).await?;
            continue;
        };
        if key.is_empty() || key.len() > STATE_KEY_BYTES {
            return Err(too_large(format!(
                "a state key has 1 to {STATE_KEY_BYTES} bytes, this one {}",
                key.len()
            )));
        }
        if value.len() > STATE_VALUE_BYTES {
            return Err(too_large(format!(
                "the state value of \"{key}\" has {} bytes, more than the {STATE_VALUE_BYTES} allowed",
                value.len()
            )));
        }
        rows.push(params![model, unit, key, value]);
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
    let sql = "SELECT CAST(COALESCE(SUM(OCTET_LENGTH(key) + OCTET_LENGTH(value)), 0) AS BIGINT)
        FROM charm_state WHERE model_uuid = $1 AND unit = $2";
    let total = tx.db.count(sql, params![model, unit]).await?;
    if total > STATE_TOTAL_BYTES as u64 {
        return Err(too_large(format!(
            "the unit's state would have {total} bytes, more than the {STATE_TOTAL_BYTES} allowed"
        )));
    }
    Ok(())
}

/// Closes, then opens. A range that another unit of the machine, or this one, has opened in
/// part is refused.
async fn change_ports(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    machine: Option<MachineId>,
    before: Vec<PortRange>,
    effects: &Effects,
) -> Result<()> {
    let mut after: Vec<PortRange> = before
        .iter()
        .copied()
        .filter(|range| !effects.close_ports.contains(range))
        .collect();
    let mut others: Vec<(String, PortRange)> = Vec::new();
    if let Some(machine) = &machine
        && !effects.open_ports.is_empty()
    {
        let sql = "SELECT name, opened_ports FROM unit
            WHERE model_uuid = $1 AND machine_id = $2 AND name <> $3 AND opened_ports <> '[]'";
        for row in tx.db.fetch(sql, params![model, machine, unit]).await? {
            let ranges: Vec<PortRange> = row.json(1, "opened ports")?;
            for range in ranges {
                others.push((row.text(0)?, range));
            }
        }
    }
    for range in &effects.open_ports {
        let own = after.iter().map(|open| (unit.to_string(), *open));
        let conflict = own.chain(others.iter().cloned()).find(|(owner, open)| {
            let taken = open == range && range.protocol != Protocol::Icmp && owner != unit.as_str();
            taken || open.conflicts_with(range)
        });
        if let Some((owner, open)) = conflict {
            return Err(StoreError::Invalid {
                code: "port-conflict",
                message: format!("cannot open {range} for {unit}: {owner} has opened {open}"),
            });
        }
        if !after.contains(range) {
            after.push(*range);
        }
    }
    after.sort();
    if after != before {
        let sql = "UPDATE unit SET opened_ports = $3 WHERE model_uuid = $1 AND name = $2";
        tx.db
            .execute(sql, params![model, unit, to_json(&after)?])
            .await?;
        tx.touch(model, namespace::PORT, unit.as_str());
    }
    Ok(())
}
