//! Payloads that a hook registered, changed and forgot.

use periapt_contract::Effect;
use periapt_contract::payloads::Changes;
use periapt_model::hook::commit;

use super::effects::Committing;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};

/// Forgets, then writes down. More than a unit may have are refused.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.changes_nothing() {
        return Ok(());
    }
    commit::payloads_are_sound(changes)?;
    let (model, unit) = (of.model, of.unit);
    for key in &changes.gone {
        let sql = "DELETE FROM payload
            WHERE model_uuid = $1 AND unit = $2 AND class = $3 AND id = $4";
        let values = params![model, unit, &key.class, &key.id];
        tx.db.execute(sql, values).await?;
    }
    for put in &changes.put {
        let sql = "INSERT INTO payload (model_uuid, unit, class, id, type, status, labels)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (model_uuid, unit, class, id) DO UPDATE SET type = excluded.type,
                status = excluded.status, labels = excluded.labels";
        let labels = to_json(&put.labels)?;
        let values = params![
            model,
            unit,
            &put.class,
            &put.id,
            &put.kind,
            put.status.as_str(),
            labels
        ];
        tx.db.execute(sql, values).await?;
    }
    let sql = "SELECT COUNT(*) FROM payload WHERE model_uuid = $1 AND unit = $2";
    let count = tx.db.count(sql, params![model, unit]).await?;
    commit::payloads_fit(count)?;
    tx.touch(model, namespace::UNIT_STATUS, unit.as_str());
    Ok(())
}
