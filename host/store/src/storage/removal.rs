//! Storage goes, alone.

use periapt_model::ModelUuid;
use periapt_model::storage::{Removal, StorageId, may_remove};

use super::detach::{detach_all, settle};
use super::rows::{facts, require, set_dying};
use crate::{Result, Store, require_model};

impl Store {
    /// Begins to remove a storage: units that have it let go of it first, then its directory goes, or is given up and
    /// stays. Asked again otherwise, the last word counts.
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
                settle(tx, &model, &id).await
            })
        })
        .await
    }
}
