//! Ports that a hook opened and closed.

use periapt_contract::Effect;
use periapt_contract::ports::Changes;
use periapt_model::hook::commit;

use super::effects::Committing;
use crate::Result;
use crate::changes::namespace;
use crate::db::{Tx, params, to_json};

/// Closes, then opens. A range that the unit has opened in part is refused, and so is one too many.
pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.changes_nothing() {
        return Ok(());
    }
    let (model, unit) = (of.model, of.unit);
    let before = &of.row.opened_ports;
    let after = commit::opened(unit, before, changes)?;
    if after != *before {
        let sql = "UPDATE unit SET opened_ports = $3 WHERE model_uuid = $1 AND name = $2";
        tx.db
            .execute(sql, params![model, unit, to_json(&after)?])
            .await?;
        tx.touch(model, namespace::PORT, unit.as_str());
    }
    Ok(())
}
