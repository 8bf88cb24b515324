//! Units let go of storage: asked to, and when they have.

use periapt_model::hook::{Info, Kind};
use periapt_model::storage::{StorageId, may_detach};
use periapt_model::{Life, ModelUuid, Refusal, UnitName};
use periapt_wire::rest::StorageInfo;

use super::reading::info;
use super::rows::{
    StorageRow, attachments, by_id, changed, delete, facts, held, require, set_dying, tell,
};
use crate::changes::namespace;
use crate::db::{Session, Tx, params};
use crate::error::StoreError;
use crate::{Result, Store, charm, require_model};

impl Store {
    /// Has the unit that has a storage let go of it. With `force` also where its charm needs it. Of one that no unit
    /// has nothing is asked.
    pub async fn detach_storage(
        &self,
        model: &ModelUuid,
        id: &StorageId,
        force: bool,
    ) -> Result<StorageInfo> {
        let (model, id) = (model.clone(), id.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                let row = require(&mut tx.db, &model, &id).await?;
                let facts = facts(&mut tx.db, &model, &row).await?;
                for attachment in attachments(&mut tx.db, &model, &id).await? {
                    if !attachment.life.is_alive() {
                        continue;
                    }
                    let unit = attachment.unit;
                    let application = unit.application();
                    let charm = charm::of_application(&mut tx.db, &model, &application).await?;
                    let held = held(&mut tx.db, &model, &unit).await?;
                    let held = held.get(id.name()).copied().unwrap_or_default();
                    may_detach(&facts, &unit, &charm.metadata.storage, held, force)?;
                }
                detach_all(tx, &model, &row).await?;
                info(&mut tx.db, &model, &id).await
            })
        })
        .await
    }
}

/// Has all units let go of a storage.
pub(super) async fn detach_all(tx: &mut Tx, model: &ModelUuid, row: &StorageRow) -> Result<()> {
    let id = &row.id;
    let sql = "UPDATE storage_attachment SET life = 'dying', cause = $3
        WHERE model_uuid = $1 AND storage = $2 AND life = 'alive'";
    let values = params![model, id.to_string(), crate::why::cause(tx)];
    if tx.db.execute(sql, values).await? > 0 {
        changed(tx, model, id).await?;
        let ours = attachments(&mut tx.db, model, id).await?;
        tell(tx, model, &ours);
    }
    Ok(())
}

/// The unit let go of a storage, if that is what its hook was about, or passed it. Again it is nothing.
pub(crate) async fn let_go(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    hook: &Info,
) -> Result<()> {
    match (hook.kind, &hook.storage) {
        (Kind::StorageDetaching, Some(event)) => drop_one(tx, model, &event.id, unit).await,
        _ => Ok(()),
    }
}

/// Refuses the end of a unit that has not let go of all its storage.
pub(crate) async fn require_let_go(
    db: &mut Session,
    model: &ModelUuid,
    unit: &UnitName,
) -> Result<()> {
    let sql = "SELECT storage FROM storage_attachment
        WHERE model_uuid = $1 AND unit = $2 ORDER BY storage";
    let names: Vec<String> = db.scalars(sql, params![model, unit]).await?;
    match names.is_empty() {
        true => Ok(()),
        false => Err(StoreError::Refused {
            refusal: Refusal::TryAgain,
            message: format!(
                "unit {unit} has not let go of storage: {}",
                names.join(", ")
            ),
        }),
    }
}

/// The unit does not have a storage any more.
pub(super) async fn drop_one(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &StorageId,
    unit: &UnitName,
) -> Result<()> {
    let sql = "DELETE FROM storage_attachment WHERE model_uuid = $1 AND storage = $2 AND unit = $3";
    let values = params![model, id.to_string(), unit];
    if tx.db.execute(sql, values).await? == 0 {
        return Ok(());
    }
    tx.touch(model, namespace::STORAGE_HOOKS, unit.as_str());
    changed(tx, model, id).await?;
    settle(tx, model, id).await
}

/// What becomes of a storage that fewer have, or that is on its way out: once nobody has it, what outlives units is
/// nobody's and everything else goes. What never was anywhere is gone at once.
pub(super) async fn settle(tx: &mut Tx, model: &ModelUuid, id: &StorageId) -> Result<()> {
    if !attachments(&mut tx.db, model, id).await?.is_empty() {
        return Ok(());
    }
    let Some(row) = by_id(&mut tx.db, model, id).await? else {
        return Ok(());
    };
    // Its application keeps it for units that come.
    if row.shared && row.life.is_alive() {
        return Ok(());
    }
    let never = row.agent.is_none();
    match row.life {
        Life::Alive if row.may_be_kept() => {
            let sql = "UPDATE storage SET owner = '' WHERE model_uuid = $1 AND id = $2";
            tx.db.execute(sql, params![model, id.to_string()]).await?;
            Ok(())
        }
        _ if never => delete(tx, model, id).await,
        Life::Alive => set_dying(tx, model, id, false).await,
        Life::Dying | Life::Dead => Ok(()),
    }
}
