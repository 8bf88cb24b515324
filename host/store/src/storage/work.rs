//! What is to become of directories, for whoever makes them and takes them back.

use std::collections::BTreeMap;

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::storage::{PoolKind, StorageId};
use periapt_model::{AgentName, Life, ModelUuid};
use periapt_wire::agent::storage_provisioner::{StorageWork, Wanted};

use super::rows::{attachments, by_id, changed, delete, tell};
use crate::db::{Which, columns, json, params, word};
use crate::{Result, Store};

columns! {
    struct WorkRow {
        id: StorageId = "storage.id" as word,
        life: Life = "storage.life" as word,
        keep: bool = "storage.keep",
        provider: PoolKind = "storage.provider" as word,
        attributes: BTreeMap<String, String> = "storage.attributes" as json,
        size: u64 = "storage.size",
        directory: String = "storage.provider_id",
        imported: bool = "storage.imported",
        agent: AgentName = "storage.agent" as word,
        provisioned: bool = "storage.provisioned",
        failure: String = "storage.failure",
        attachments: u64 = "(SELECT COUNT(*) FROM storage_attachment
            WHERE storage_attachment.model_uuid = storage.model_uuid
                AND storage_attachment.storage = storage.id)",
    }
    const WORK = which(
        "FROM storage WHERE storage.model_uuid = $1 AND storage.agent IS NOT NULL",
        "storage.id",
        "ORDER BY storage.number"
    );
}

impl WorkRow {
    /// None where there is nothing to do: it goes, units still have it, and it never was there.
    fn wanted(&self) -> Option<Wanted> {
        match (self.life, self.attachments) {
            (Life::Alive, _) if self.imported && !self.provisioned => Some(Wanted::Imported),
            (Life::Alive, _) => Some(Wanted::There),
            (Life::Dying | Life::Dead, 0) if self.keep => Some(Wanted::Released),
            (Life::Dying | Life::Dead, 0) => Some(Wanted::Destroyed),
            (Life::Dying | Life::Dead, _) => self.provisioned.then_some(Wanted::There),
        }
    }
}

impl Store {
    /// All storage of a model.
    pub async fn storage_ids(&self, model: &ModelUuid) -> Result<Vec<StorageId>> {
        let sql = "SELECT id FROM storage WHERE model_uuid = $1 ORDER BY number";
        let mut db = self.glance().await?;
        Ok(db.words("storage", sql, params![model]).await?)
    }

    /// What is to become of the directories of these, of all for an empty list.
    pub async fn storage_work(
        &self,
        model: &ModelUuid,
        storages: &[StorageId],
    ) -> Result<Vec<StorageWork>> {
        let names: Vec<String> = storages.iter().map(StorageId::to_string).collect();
        let which = match names.is_empty() {
            true => Which::All,
            false => Which::Named(&names),
        };
        let mut db = self.snapshot().await?;
        let rows: Vec<WorkRow> = db.which(WORK, model, which).await?;
        let work = rows.into_iter().filter_map(|row| {
            Some(StorageWork {
                wanted: row.wanted()?,
                id: row.id,
                provider: row.provider,
                attributes: row.attributes,
                size: row.size,
                directory: row.directory,
                agent: row.agent,
                provisioned: row.provisioned,
                failure: row.failure,
            })
        });
        Ok(work.collect())
    }

    /// The directory is there, of an imported one with its size. Of what is gone there is nothing to know.
    pub async fn set_storage_provisioned(
        &self,
        model: &ModelUuid,
        id: &StorageId,
        size: Option<u64>,
    ) -> Result<()> {
        let (model, id) = (model.clone(), id.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql =
                    "UPDATE storage SET provisioned = 1, failure = '', size = COALESCE($3, size)
                    WHERE model_uuid = $1 AND id = $2 AND (provisioned = 0 OR failure <> '')";
                let values = params![&model, id.to_string(), size];
                if tx.db.execute(sql, values).await? > 0 {
                    changed(tx, &model, &id).await?;
                    let attached = attachments(&mut tx.db, &model, &id).await?;
                    tell(tx, &model, &attached);
                }
                Ok(())
            })
        })
        .await
    }

    /// The directory could not be made or taken back.
    pub async fn set_storage_failed(
        &self,
        model: &ModelUuid,
        id: &StorageId,
        failure: &str,
    ) -> Result<()> {
        let (model, id) = (model.clone(), id.clone());
        let failure = TEXT_BYTES.cut(failure).into_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE storage SET failure = $3
                    WHERE model_uuid = $1 AND id = $2 AND failure <> $3";
                let values = params![&model, id.to_string(), &failure];
                if tx.db.execute(sql, values).await? > 0 {
                    changed(tx, &model, &id).await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// The directory is destroyed or given up. What is to stay, or what units have, is not forgotten by a word that
    /// came too late.
    pub async fn forget_storage(&self, model: &ModelUuid, id: &StorageId) -> Result<()> {
        let (model, id) = (model.clone(), id.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let found = by_id(&mut tx.db, &model, &id).await?;
                let goes = found.is_some_and(|row| !row.life.is_alive());
                if goes && attachments(&mut tx.db, &model, &id).await?.is_empty() {
                    delete(tx, &model, &id).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
