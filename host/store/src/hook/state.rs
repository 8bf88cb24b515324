//! Charm state that a hook changed.

use periapt_contract::state::Changes;
use periapt_model::bounds::{STATE_BYTES, STATE_KEY_BYTES, STATE_KEYS, STATE_VALUE_BYTES};

use super::effects::{Committing, too_large};
use crate::Result;
use crate::db::{PART, Tx, columns, names, params, part_params};

columns! {
    /// How much a unit keeps.
    struct Kept {
        keys: u64 = "COUNT(*)",
        bytes: u64 =
            "CAST(COALESCE(SUM(OCTET_LENGTH(key) + OCTET_LENGTH(value)), 0) AS BIGINT)",
    }
    const KEPT = "FROM charm_state WHERE model_uuid = $1 AND unit = $2";
}

/// Sets and deletes keys of a unit's state, within the bounds of [`periapt_model::bounds`].
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, state: &Changes) -> Result<()> {
    if state.is_empty() {
        return Ok(());
    }
    let (model, unit) = (of.model, of.unit);
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
    let Some(kept) = tx.db.one(KEPT, params![model, unit]).await? else {
        return Ok(());
    };
    require_keys(kept.keys)?;
    if kept.bytes > STATE_BYTES.most {
        return Err(too_large(format!(
            "the unit's state would have {} bytes, more than the {} allowed",
            kept.bytes, STATE_BYTES.most
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
