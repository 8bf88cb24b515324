//! Storage as people are shown it, and as units are told of it.

use std::collections::{BTreeMap, HashMap};

use periapt_model::cause::Cause;
use periapt_model::refusal::Subject;
use periapt_model::status::Status;
use periapt_model::storage::{Condition, Declared, Kind, RemoteAttachment, StorageId, declared};
use periapt_model::{Life, ModelUuid, UnitName};
use periapt_wire::rest::{Page, StorageAttachmentInfo, StorageInfo, StorageQuery};

use super::rows::{AFTER, AFTER_OF, AttachmentRow, NAMED, OF_STORAGES, StorageRow, held, require};
use crate::db::{Session, columns, params, word};
use crate::error::StoreError;
use crate::page::Paging;
use crate::{Result, Store, charm, require_model, unit};

columns! {
    struct TheirsRow {
        storage: StorageId = "storage.id" as word,
        life: Life = "storage_attachment.life" as word,
        ready: bool = "storage.provisioned",
        location: String = "storage_attachment.location",
        read_only: bool = "storage_attachment.read_only",
        directory: String = "storage.provider_id",
        cause: Cause = "storage_attachment.cause" as word,
    }
    const THEIRS = "FROM storage_attachment
        JOIN storage ON storage.model_uuid = storage_attachment.model_uuid
            AND storage.id = storage_attachment.storage
        WHERE storage_attachment.model_uuid = $1 AND storage_attachment.unit = $2";
}

/// What a unit has, or is to have; what brought that about goes to `causes`.
pub(crate) async fn of_unit(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
    causes: &mut BTreeMap<StorageId, Cause>,
) -> Result<BTreeMap<StorageId, RemoteAttachment>> {
    let rows: Vec<TheirsRow> = db.all(THEIRS, params![model, unit]).await?;
    let theirs = rows.into_iter().map(|row| {
        if !row.cause.is_unknown() {
            causes.insert(row.storage.clone(), row.cause);
        }
        let attachment = RemoteAttachment {
            life: row.life,
            ready: row.ready,
            kind: Kind::Filesystem,
            location: row.location,
            read_only: row.read_only,
            directory: row.directory,
        };
        (row.storage, attachment)
    });
    Ok(theirs.collect())
}

/// One storage as people are shown it.
pub(super) async fn info(
    db: &mut Session,
    model: &ModelUuid,
    id: &StorageId,
) -> Result<StorageInfo> {
    let row = require(db, model, id).await?;
    let found = infos(db, model, vec![row]).await?.pop();
    found.ok_or_else(|| StoreError::not_found(Subject::Storage, id))
}

/// Storages by id, as people are shown them; those that are gone are missing.
pub(crate) async fn by_ids(
    db: &mut Session,
    model: &ModelUuid,
    ids: &[StorageId],
) -> Result<Vec<StorageInfo>> {
    let ids: Vec<String> = ids.iter().map(StorageId::to_string).collect();
    let rows: Vec<StorageRow> = db.some(NAMED, model, &ids).await?;
    infos(db, model, rows).await
}

async fn infos(
    db: &mut Session,
    model: &ModelUuid,
    rows: Vec<StorageRow>,
) -> Result<Vec<StorageInfo>> {
    let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    let mut attachments: HashMap<StorageId, Vec<AttachmentRow>> = HashMap::new();
    for row in db.some(OF_STORAGES, model, &ids).await? {
        let of_storage = attachments.entry(row.storage.clone()).or_default();
        of_storage.push(row);
    }
    let shown = rows.into_iter().map(|row| {
        let attached = attachments.remove(&row.id).unwrap_or_default();
        shown(row, attached)
    });
    Ok(shown.collect())
}

fn shown(row: StorageRow, attached: Vec<AttachmentRow>) -> StorageInfo {
    let dying = attached.iter().filter(|one| !one.life.is_alive());
    let condition = Condition {
        life: row.life,
        provisioned: row.provisioned,
        failed: !row.failure.is_empty(),
        attachments: attached.len(),
        dying_attachments: dying.count(),
    };
    let attachments = attached.into_iter().map(|one| StorageAttachmentInfo {
        unit: one.unit,
        machine: one.machine,
        location: one.location,
        read_only: one.read_only,
        life: one.life,
    });
    StorageInfo {
        kind: Kind::Filesystem.to_string(),
        owner: Some(row.owner).filter(|owner| !owner.is_empty()),
        life: row.life,
        status: Status {
            since: row.status_since,
            ..Status::new(condition.status(), row.failure)
        },
        pool: row.pool,
        provider: row.provider,
        size: row.size,
        limited: row.provider.has_limit(),
        persistent: row.provider.is_persistent(),
        provider_id: row.directory,
        created_at: row.created_at,
        attachments: attachments.collect(),
        id: row.id,
    }
}

impl Store {
    /// A page of the storage of a model, in the order in which it came.
    pub async fn storages(
        &self,
        model: &ModelUuid,
        query: &StorageQuery,
    ) -> Result<Page<StorageInfo>> {
        let paging = Paging::of(query.limit)?;
        let after = match query.after.as_deref().filter(|after| !after.is_empty()) {
            None => -1,
            Some(after) => {
                let id = after
                    .parse::<StorageId>()
                    .map_err(|error| StoreError::bad_request(error.to_string()))?;
                i64::try_from(id.number()).unwrap_or(i64::MAX)
            }
        };
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let mut rows: Vec<StorageRow> = match query.of.as_deref().filter(|of| !of.is_empty()) {
            None => db.all(AFTER, params![model, after, paging.rows()]).await?,
            Some(of) => {
                db.all(AFTER_OF, params![model, after, paging.rows(), of])
                    .await?
            }
        };
        let next = paging.cut(&mut rows, |last| last.id.to_string());
        let items = infos(&mut db, model, rows).await?;
        Ok(Page { items, next })
    }

    /// One storage.
    pub async fn storage(&self, model: &ModelUuid, id: &StorageId) -> Result<StorageInfo> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        info(&mut db, model, id).await
    }

    /// What the charm of a unit declares, and how much of it the unit can be given in addition: nothing any more when
    /// it leaves.
    pub async fn declared_storage(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
    ) -> Result<BTreeMap<String, Declared>> {
        let mut db = self.snapshot().await?;
        let life = unit::life(&mut db, model, unit).await?;
        let charm = charm::of_application(&mut db, model, &unit.application()).await?;
        let held = held(&mut db, model, unit).await?;
        let of_name = |name: &str| held.get(name).copied().unwrap_or_default();
        let mut declared = declared(&charm.metadata.storage, of_name)?;
        if !life.is_alive() {
            for one in declared.values_mut() {
                one.room = Some(0);
            }
        }
        Ok(declared)
    }
}
