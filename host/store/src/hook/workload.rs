//! What hooks asked of their unit's containers.

use std::collections::BTreeMap;

use periapt_contract::workload::{Changes, Committed, Seen};
use periapt_model::{ModelUuid, UnitName};

use super::effects::Committing;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json};
use crate::{Result, Store};

#[cfg(test)]
mod tests;

columns! {
    struct Row {
        name: String = "name",
        committed: Committed = "committed" as json,
    }
    const CONTAINERS = "FROM container WHERE model_uuid = $1 AND unit = $2 ORDER BY name";
}

/// What was committed of each container.
pub(crate) async fn containers(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<BTreeMap<String, Committed>> {
    let rows = db.all(CONTAINERS, params![model, unit]).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.name, row.committed))
        .collect())
}

pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let (model, unit) = (of.model, of.unit);
    let before = containers(&mut tx.db, model, unit).await?;
    for (name, change) in changes {
        let after = before.get(name).cloned().unwrap_or_default().with(change);
        let sql =
            "INSERT INTO container (model_uuid, unit, name, committed) VALUES ($1, $2, $3, $4)
            ON CONFLICT (model_uuid, unit, name) DO UPDATE SET committed = excluded.committed";
        let values = params![model, unit, name, to_json(&after)?];
        tx.db.execute(sql, values).await?;
    }
    tx.touch(model, namespace::CONTAINER, unit.as_str());
    Ok(())
}

impl Store {
    /// Keeps what was seen in the containers of a unit. Of one that the unit does not have, or not any
    /// more, nothing is kept.
    pub async fn set_containers_seen(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        seen: BTreeMap<String, Seen>,
    ) -> Result<()> {
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let mut changed = 0;
                for (name, seen) in &seen {
                    let sql = "UPDATE container SET seen = $4
                        WHERE model_uuid = $1 AND unit = $2 AND name = $3
                        AND (seen IS NULL OR seen <> $4)";
                    let values = params![&model, &unit, name, to_json(seen)?];
                    changed += tx.db.execute(sql, values).await?;
                }
                if changed > 0 {
                    tx.touch(&model, namespace::CONTAINER, unit.as_str());
                }
                Ok(())
            })
        })
        .await
    }
}
