//! What was uploaded and is attached to nothing yet: it waits for a day, and of a model for no more than
//! so many others.

use std::time::Duration;

use periapt_model::bounds::RESOURCES_WAITING;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, UserName};
use periapt_wire::rest::UploadedResource;

use super::{Content, drop_unused};
use crate::db::{Tx, columns, params};
use crate::error::StoreError;
use crate::{Result, Store};

/// How long it waits.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The sequence of which uploads have their numbers.
const NUMBERS: &str = "resource-upload";

columns! {
    struct Upload -> Content {
        sha256 = "sha256",
        size = "size",
        uploaded_by = "uploaded_by",
        uploaded_at = "uploaded_at",
    }
    const UPLOAD = "FROM resource_upload WHERE model_uuid = $1 AND id = $2";
}

columns! {
    struct Waiting {
        id: u64 = "id",
        sha256: String = "sha256",
        uploaded_at: i64 = "uploaded_at",
    }
    const NEWEST = "FROM resource_upload WHERE model_uuid = $1 ORDER BY id DESC";
}

impl Store {
    /// Records a file whose bytes are stored, for a deployment that is to come.
    pub async fn add_resource_upload(
        &self,
        model: &ModelUuid,
        by: &UserName,
        sha256: &str,
    ) -> Result<UploadedResource> {
        let (model, by, sha256) = (model.clone(), by.clone(), sha256.to_owned());
        self.write(move |tx| Box::pin(async move { add(tx, &model, &by, &sha256).await }))
            .await
    }
}

/// The same in a transaction.
pub(super) async fn add(
    tx: &mut Tx,
    model: &ModelUuid,
    by: &UserName,
    sha256: &str,
) -> Result<UploadedResource> {
    crate::require_alive_model(&mut tx.db, model).await?;
    // Who else had the bytes may have gone, and the bytes with it.
    let sql = "SELECT size FROM blob WHERE digest = $1";
    let size = tx.db.scalar::<u64>(sql, params![sha256]).await?;
    let size = size.ok_or_else(|| StoreError::not_found(Subject::Upload, sha256))?;
    let id = tx.take_numbers(model, NUMBERS, 1).await? + 1;
    let sql = "INSERT INTO resource_upload (model_uuid, id, sha256, size, uploaded_by, uploaded_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    tx.db
        .execute(sql, params![model, id, sha256, size, by, tx.now])
        .await?;
    forget_old(tx, model).await?;
    Ok(UploadedResource {
        id,
        sha256: sha256.to_owned(),
        size,
    })
}

/// Takes an upload away from those that wait.
pub(super) async fn take(tx: &mut Tx, model: &ModelUuid, id: u64) -> Result<Content> {
    let found = tx.db.one(UPLOAD, params![model, id]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Upload, id))?;
    remove(tx, model, id).await?;
    Ok(found)
}

async fn remove(tx: &mut Tx, model: &ModelUuid, id: u64) -> Result<()> {
    let sql = "DELETE FROM resource_upload WHERE model_uuid = $1 AND id = $2";
    tx.db.execute(sql, params![model, id]).await?;
    Ok(())
}

async fn forget_old(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let patience = i64::try_from(PATIENCE.as_micros()).unwrap_or(i64::MAX);
    let since = tx.now.saturating_sub(patience);
    let waiting = tx.db.all(NEWEST, params![model]).await?;
    for (place, upload) in waiting.into_iter().enumerate() {
        if upload.uploaded_at < since || RESOURCES_WAITING.exceeded_by(place + 1) {
            remove(tx, model, upload.id).await?;
            drop_unused(tx, &upload.sha256).await?;
        }
    }
    Ok(())
}
