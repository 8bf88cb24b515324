//! Storage that is there is given to a unit.

use std::collections::BTreeMap;

use periapt_model::charm::Storage;
use periapt_model::storage::{StorageId, may_attach};
use periapt_model::{ModelUuid, Refusal, UnitName};
use periapt_wire::rest::StorageInfo;

use super::agents;
use super::create::put_attachment;
use super::reading::info;
use super::rows::{facts, held, require};
use crate::db::{Tx, params};
use crate::error::StoreError;
use crate::{Result, Store, charm, require_alive_model, unit};

impl Store {
    /// Gives a unit a storage that no unit has.
    pub async fn attach_storage(
        &self,
        model: &ModelUuid,
        id: &StorageId,
        unit: &UnitName,
    ) -> Result<StorageInfo> {
        let (model, id, unit) = (model.clone(), id.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                unit::require(&mut tx.db, &model, &unit).await?;
                let application = unit.application();
                let charm = charm::of_application(&mut tx.db, &model, &application).await?;
                existing(tx, &model, &id, &unit, &charm.metadata.storage).await?;
                info(&mut tx.db, &model, &id).await
            })
        })
        .await
    }
}

/// Gives a storage that is there to a unit whose charm declares these.
pub(super) async fn existing(
    tx: &mut Tx,
    model: &ModelUuid,
    id: &StorageId,
    unit: &UnitName,
    declared: &BTreeMap<String, Storage>,
) -> Result<()> {
    let row = require(&mut tx.db, model, id).await?;
    if row.shared {
        return Err(StoreError::Refused {
            refusal: Refusal::StorageIsAttached,
            message: format!("all units of {} share storage {id}", row.owner),
        });
    }
    let facts = facts(&mut tx.db, model, &row).await?;
    let life = unit::life(&mut tx.db, model, unit).await?;
    let agent = agents::agent_of(tx, model, unit).await?;
    let held = held(&mut tx.db, model, unit).await?;
    let held = held.get(id.name()).copied().unwrap_or_default();
    may_attach(&facts, unit, life, agent.as_ref(), declared, held)?;
    let Some(storage) = declared.get(id.name()) else {
        return Err(StoreError::internal(format!(
            "storage {id} may be attached to {unit}, whose charm does not declare it"
        )));
    };
    let sql = "UPDATE storage SET owner = $3 WHERE model_uuid = $1 AND id = $2";
    let values = params![model, id.to_string(), unit];
    tx.db.execute(sql, values).await?;
    put_attachment(tx, model, id, storage, unit).await
}
