//! Rows of storage.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::storage::{Facts, Kind, PoolKind, StorageId};
use periapt_model::{AgentName, Life, MachineId, ModelUuid, Refusal, UnitName};

use crate::Result;
use crate::changes::namespace;
use crate::db::{Session, Tx, columns, names, optional_word, params, word};
use crate::error::StoreError;

columns! {
    #[derive(Clone, Debug)]
    pub(crate) struct StorageRow {
        id: StorageId = "storage.id" as word,
        shared: bool = "storage.shared",
        /// The unit, or the application of a shared one; empty for nobody.
        owner: String = "storage.owner",
        life: Life = "storage.life" as word,
        pool: String = "storage.pool",
        provider: PoolKind = "storage.provider" as word,
        /// MiB.
        size: u64 = "storage.size",
        /// The name of its directory.
        directory: String = "storage.provider_id",
        imported: bool = "storage.imported",
        agent: Option<AgentName> = "storage.agent" as optional_word,
        provisioned: bool = "storage.provisioned",
        failure: String = "storage.failure",
        status_since: i64 = "storage.status_since",
        created_at: i64 = "storage.created_at",
    }
    const ONE = "FROM storage WHERE storage.model_uuid = $1 AND storage.id = $2";
    const ALL = "FROM storage WHERE storage.model_uuid = $1 ORDER BY storage.number";
    const NAMED = names!(
        "FROM storage WHERE storage.model_uuid = $1 AND storage.id IN", "ORDER BY storage.number"
    );
    const OF_OWNER = "FROM storage WHERE storage.model_uuid = $1 AND storage.owner = $2
        ORDER BY storage.number";
    const OF_UNIT = "FROM storage
        JOIN storage_attachment ON storage_attachment.model_uuid = storage.model_uuid
            AND storage_attachment.storage = storage.id
        WHERE storage_attachment.model_uuid = $1 AND storage_attachment.unit = $2
        ORDER BY storage.number";
    const AFTER = "FROM storage WHERE storage.model_uuid = $1 AND storage.number > $2
        ORDER BY storage.number LIMIT $3";
    /// Of one unit, or of the units of one application.
    const AFTER_OF = "FROM storage WHERE storage.model_uuid = $1 AND storage.number > $2
        AND (storage.owner = $4 OR storage.id IN (
            SELECT storage_attachment.storage FROM storage_attachment
            JOIN unit ON unit.model_uuid = storage_attachment.model_uuid AND unit.name = storage_attachment.unit
            WHERE storage_attachment.model_uuid = $1 AND (unit.name = $4 OR unit.application = $4)))
        ORDER BY storage.number LIMIT $3";
}

columns! {
    #[derive(Clone, Debug)]
    pub(super) struct AttachmentRow {
        storage: StorageId = "storage_attachment.storage" as word,
        unit: UnitName = "storage_attachment.unit" as word,
        life: Life = "storage_attachment.life" as word,
        location: String = "storage_attachment.location",
        read_only: bool = "storage_attachment.read_only",
        machine: Option<MachineId> = "unit.machine_id" as optional_word,
    }
    const OF_STORAGES = names!(
        "FROM storage_attachment LEFT JOIN unit ON unit.model_uuid = storage_attachment.model_uuid
            AND unit.name = storage_attachment.unit
        WHERE storage_attachment.model_uuid = $1 AND storage_attachment.storage IN",
        "ORDER BY storage_attachment.storage, unit.application, unit.number"
    );
}

columns! {
    struct HeldRow {
        name: String = "storage.name",
        count: u32 = "COUNT(*)",
    }
    const HELD = "FROM storage_attachment
        JOIN storage ON storage.model_uuid = storage_attachment.model_uuid
            AND storage.id = storage_attachment.storage
        WHERE storage_attachment.model_uuid = $1 AND storage_attachment.unit = $2
            AND storage_attachment.life = 'alive'
        GROUP BY storage.name";
}

/// One storage; none when it is gone.
pub(super) async fn by_id(
    db: &mut Session,
    model: &ModelUuid,
    id: &StorageId,
) -> Result<Option<StorageRow>> {
    Ok(db.one(ONE, params![model, id.to_string()]).await?)
}

/// One storage. Of one that is not there the nearest is named.
pub(super) async fn require(
    db: &mut Session,
    model: &ModelUuid,
    id: &StorageId,
) -> Result<StorageRow> {
    if let Some(found) = by_id(db, model, id).await? {
        return Ok(found);
    }
    let sql = "SELECT id FROM storage WHERE model_uuid = $1 ORDER BY number";
    let known: Vec<String> = db.scalars(sql, params![model]).await?;
    let word = id.to_string();
    let near = suggestion(&word, known.iter().map(String::as_str));
    Err(StoreError::Refused {
        refusal: Refusal::NotFound(Subject::Storage),
        message: format!("storage \"{word}\" not found{near}"),
    })
}

/// The attachments of one storage, in the order of units.
pub(super) async fn attachments(
    db: &mut Session,
    model: &ModelUuid,
    id: &StorageId,
) -> Result<Vec<AttachmentRow>> {
    Ok(db.some(OF_STORAGES, model, &[id.to_string()]).await?)
}

/// How many a unit has by name, without what it is letting go of.
pub(super) async fn held(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<BTreeMap<String, u32>> {
    let rows: Vec<HeldRow> = db.all(HELD, params![model, unit]).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.count)).collect())
}

/// What rules want to know of a storage.
pub(super) async fn facts(db: &mut Session, model: &ModelUuid, row: &StorageRow) -> Result<Facts> {
    let attached = attachments(db, model, &row.id).await?.into_iter();
    let attached: BTreeSet<UnitName> = attached.map(|one| one.unit).collect();
    Ok(Facts {
        id: row.id.clone(),
        kind: Kind::Filesystem,
        life: row.life,
        provider: row.provider,
        size: row.size,
        shared: row.shared,
        agent: row.agent.clone(),
        attached,
    })
}

impl StorageRow {
    /// Whether there is, was, or is about to be something that could be kept of it. What could not be made so far no unit
    /// has ever had.
    pub(super) fn may_be_kept(&self) -> bool {
        let comes = self.agent.is_some() && self.failure.is_empty();
        self.provider.is_persistent() && (self.provisioned || self.imported || comes)
    }
}

/// Something is to be known of a storage otherwise, from now on.
pub(super) async fn changed(tx: &mut Tx, model: &ModelUuid, id: &StorageId) -> Result<()> {
    let sql = "UPDATE storage SET status_since = $3 WHERE model_uuid = $1 AND id = $2";
    let values = params![model, id.to_string(), tx.now];
    tx.db.execute(sql, values).await?;
    tx.touch(model, namespace::STORAGE, id.to_string());
    Ok(())
}

/// The units that have a storage have another hook to run, or one less.
pub(super) fn tell(tx: &mut Tx, model: &ModelUuid, attachments: &[AttachmentRow]) {
    for attachment in attachments {
        tx.touch(model, namespace::STORAGE_HOOKS, attachment.unit.as_str());
    }
}

/// The storage is on its way out.
pub(super) async fn set_dying(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &StorageId,
    keep: bool,
) -> Result<()> {
    let sql = "UPDATE storage SET life = 'dying', keep = $3 WHERE model_uuid = $1 AND id = $2";
    let values = params![model, id.to_string(), keep];
    tx.db.execute(sql, values).await?;
    changed(tx, model, id).await
}

/// The storage is gone.
pub(super) async fn delete(tx: &mut Tx, model: &ModelUuid, id: &StorageId) -> Result<()> {
    let sql = "DELETE FROM storage WHERE model_uuid = $1 AND id = $2";
    tx.db.execute(sql, params![model, id.to_string()]).await?;
    tx.touch(model, namespace::STORAGE, id.to_string());
    Ok(())
}
