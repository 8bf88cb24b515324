//! Storage that a hook asked to be given.

use periapt_contract::Effect;
use periapt_contract::storage::Changes;

use super::effects::Committing;
use crate::Result;
use crate::db::Tx;
use crate::storage;

pub(super) async fn apply(tx: &mut Tx, of: Committing<'_>, changes: &Changes) -> Result<()> {
    if changes.changes_nothing() {
        return Ok(());
    }
    storage::add_at_commit(tx, of.model, of.unit, of.row.life, changes).await
}
