//! Storage goes, alone.

use periapt_model::ModelUuid;
use periapt_model::storage::{Removal, StorageId, may_remove};

use super::detach::{detach_all, drop_one, settle};
use super::rows::{attachments, by_id, facts, require, set_dying};
use crate::cleanup::{self, Kind};
use crate::db::Tx;
use crate::{Result, Store, require_model};

impl Store {
    /// Begins to remove a storage: units that have it let go of it first, then its directory goes, or is given up and
    /// stays. By force they have it no longer than the model's `force-wait`, whatever their agents do. Asked again
    /// otherwise, the last word counts.
    pub async fn remove_storage(
        &self,
        model: &ModelUuid,
        id: &StorageId,
        removal: Removal,
    ) -> Result<()> {
        let (model, id) = (model.clone(), id.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let row = require(&mut tx.db, &model, &id).await?;
                let facts = facts(&mut tx.db, &model, &row).await?;
                may_remove(&facts, removal)?;
                set_dying(tx, &model, &id, !removal.destroy).await?;
                detach_all(tx, &model, &row).await?;
                if !facts.attached.is_empty() {
                    let due = cleanup::next_step(tx, &model).await?;
                    let subject = id.to_string();
                    cleanup::enqueue(tx, &model, Kind::ForceStorage, &subject, true, due).await?;
                }
                settle(tx, &model, &id).await
            })
        })
        .await
    }
}

/// Last step of force: whoever has not let go of a storage that goes does not have it any more.
pub(crate) async fn force(tx: &mut Tx, model: &ModelUuid, id: &StorageId) -> Result<()> {
    let found = by_id(&mut tx.db, model, id).await?;
    if found.is_none_or(|row| row.life.is_alive()) {
        return Ok(());
    }
    for attachment in attachments(&mut tx.db, model, id).await? {
        drop_one(tx, model, id, &attachment.unit).await?;
    }
    Ok(())
}
