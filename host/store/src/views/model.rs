//! Models as listed, and as their status shows them.

use std::collections::BTreeMap;

use periapt_model::block::BlockKind;
use periapt_model::refusal::Subject;
use periapt_model::status::{Model, Status};
use periapt_model::{Life, ModelUuid};
use periapt_wire::rest::ModelSummary;

use crate::db::{Cells, Session, columns, params, word};
use crate::error::StoreError;
use crate::{DatabaseError, Result, Store, status};

/// The message of a block of the model; null where there is none.
macro_rules! block {
    ($kind:literal) => {
        concat!(
            "(SELECT block.message FROM block WHERE block.model_uuid = model.uuid AND block.kind = '",
            $kind,
            "')"
        )
    };
}

/// The messages of all kinds, in the order of [`BlockKind::ALL`].
macro_rules! blocks {
    () => {
        concat!(
            block!("destroy-model"),
            ", ",
            block!("remove-object"),
            ", ",
            block!("all")
        )
    };
}

/// What is disabled, with why.
fn blocks(
    cells: &mut Cells<'_>,
) -> std::result::Result<BTreeMap<BlockKind, String>, DatabaseError> {
    let mut found = BTreeMap::new();
    for kind in BlockKind::ALL {
        if let Some(message) = cells.optional_str()? {
            found.insert(kind, message.to_owned());
        }
    }
    Ok(found)
}

/// Nobody said anything of a model that is just as it was made.
fn status_or_available(cells: &mut Cells<'_>) -> std::result::Result<Status<Model>, DatabaseError> {
    let said = status::optional(cells)?;
    Ok(said.unwrap_or_else(|| Status::new(Model::Available, "")))
}

columns! {
    /// A model with its counts, from one statement however many models there are.
    struct Summary -> ModelSummary {
        uuid = "model.uuid" as word,
        name = "model.name" as word,
        owner = "model.owner",
        life = "model.life" as word,
        created_at = "model.created_at",
        status = [status::list!("status")] as status_or_available,
        cloud = "model.cloud",
        region = "model.region",
        kind = "cloud.model_type",
        applications = "(SELECT COUNT(*) FROM application WHERE application.model_uuid = model.uuid)",
        machines = "(SELECT COUNT(*) FROM machine WHERE machine.model_uuid = model.uuid)",
        units = "(SELECT COUNT(*) FROM unit WHERE unit.model_uuid = model.uuid)",
        blocks = [blocks!()] as blocks,
    }
    const SUMMARY = "FROM model JOIN cloud ON cloud.name = model.cloud
        LEFT JOIN status ON status.model_uuid = model.uuid AND status.kind = 'model'
            AND status.entity = model.uuid
        WHERE $1 = '' OR model.uuid = $1 ORDER BY model.name";
}

columns! {
    /// What a status has of its model.
    pub(crate) struct ModelRow {
        name: String = "model.name",
        life: Life = "model.life" as word,
        status: String = "COALESCE(status.status, 'available')",
        message: String = "COALESCE(status.message, '')",
        since: i64 = "COALESCE(status.since, model.created_at)",
        cloud: String = "model.cloud",
        region: String = "model.region",
        /// `iaas` or `caas`.
        kind: String = "cloud.model_type",
    }
    const MODEL = "FROM model JOIN cloud ON cloud.name = model.cloud
        LEFT JOIN status ON status.model_uuid = model.uuid AND status.kind = 'model'
            AND status.entity = model.uuid
        WHERE model.uuid = $1";
}

impl Store {
    /// All models, by name.
    pub async fn models(&self) -> Result<Vec<ModelSummary>> {
        Ok(self.glance().await?.all(SUMMARY, params![""]).await?)
    }

    /// One model as listed.
    pub async fn model_summary(&self, model: &ModelUuid) -> Result<ModelSummary> {
        summary(&mut self.glance().await?, model).await
    }
}

pub(crate) async fn summary(db: &mut Session, model: &ModelUuid) -> Result<ModelSummary> {
    let found = db.one(SUMMARY, params![model]).await?;
    found.ok_or_else(|| StoreError::not_found(Subject::Model, model))
}

/// The model of a status.
pub(crate) async fn row(db: &mut Session, model: &ModelUuid) -> Result<ModelRow> {
    let row = db.one(MODEL, params![model]).await?;
    row.ok_or_else(|| StoreError::not_found(Subject::Model, model))
}
