//! Charm state that a hook changed.

use periapt_contract::state::Changes;
use periapt_model::hook::commit;

use super::effects::Committing;
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
    commit::state_is_sound(state)?;
    let (model, unit) = (of.model, of.unit);
    let mut rows = Vec::new();
    let mut gone: Vec<&str> = Vec::new();
    for (key, value) in state {
        match value {
            Some(value) => rows.push(params![model, unit, key, value]),
            None => gone.push(key),
        }
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
    Ok(commit::state_fits(kept.keys, kept.bytes)?)
}
