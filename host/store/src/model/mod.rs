//! Models: making, finding, and the beginning of their end.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use periapt_model::refusal::Subject;
use periapt_model::status::{Model, Status};
use periapt_model::{Life, ModelUuid, UserName};
use periapt_wire::agent::models::ModelInfo;
use periapt_wire::rest::{AddModel, ConfigChange, ModelPermission, ModelSummary};

use crate::changes::namespace;
use crate::cleanup::{self, Kind};
use crate::cloud;
use crate::db::{Tx, columns, params, word};
use crate::error::StoreError;
use crate::status::{self, kind};
use crate::tables::{Table, tables};
use crate::views::model::summary;
use crate::{Result, Store, storage};

pub(crate) mod config;
pub(crate) mod constraints;
pub(crate) mod defaults;
pub(crate) mod environ;
mod undertaker;

pub use config::Setter;

pub(crate) const TABLES: &[Table] = tables! {
    "model" by "uuid";
    "model_config";
};

/// Answers to which model a text names, good while no model itself changes.
#[derive(Default)]
pub(crate) struct ModelNames {
    known: Mutex<(i64, HashMap<String, ModelUuid>)>,
}

impl ModelNames {
    fn find(&self, text: &str, commit: i64) -> Option<ModelUuid> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        (known.0 == commit)
            .then(|| known.1.get(text).cloned())
            .flatten()
    }

    fn keep(&self, text: &str, model: &ModelUuid, commit: i64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 < commit {
            *known = (commit, HashMap::new());
        }
        if known.0 == commit {
            known.1.insert(text.to_owned(), model.clone());
        }
    }
}

columns! {
    struct Info -> ModelInfo {
        uuid = "model.uuid" as word,
        name = "model.name" as word,
        life = "model.life" as word,
        cloud_type = "cloud.type",
    }
    const INFO = "FROM model JOIN cloud ON cloud.name = model.cloud WHERE model.uuid = $1";
}

impl Store {
    /// Makes a model. Its name must be free and its configuration valid.
    pub async fn add_model(&self, request: AddModel, owner: &UserName) -> Result<ModelSummary> {
        let owner = owner.clone();
        let uuid: ModelUuid = uuid::Uuid::new_v4().to_string().parse()?;
        self.write(move |tx| {
            Box::pin(async move {
                let place = cloud::place(&mut tx.db, &request, &owner).await?;
                let sql = "INSERT INTO model (uuid, name, owner, life, created_at, destroy_force,
                        cloud, region, credential)
                    VALUES ($1, $2, $3, 'alive', $4, 0, $5, $6, $7) ON CONFLICT (name) DO NOTHING";
                let (cloud, region, credential) = (&place.cloud, &place.region, &place.credential);
                let params = params![
                    &uuid,
                    &request.name,
                    &owner,
                    tx.now,
                    cloud,
                    region,
                    credential
                ];
                if tx.db.execute(sql, params).await? == 0 {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::Model,
                        name: request.name.to_string(),
                    });
                }
                if request.credential.is_none() {
                    cloud::add_own_credential(tx, &owner, &place).await?;
                }
                crate::user::access::put(tx, &uuid, &owner, ModelPermission::Admin).await?;
                let change = ConfigChange {
                    set: request.config,
                    reset: Vec::new(),
                };
                let sql = "SELECT 1 FROM account WHERE name = $1 AND access = 'superuser'";
                let setter = match tx.db.exists(sql, params![&owner]).await? {
                    true => Setter::Superuser,
                    false => Setter::Admin,
                };
                config::change(tx, &uuid, &change, setter).await?;
                set_status(tx, &uuid, &Status::new(Model::Available, "")).await?;
                tx.touch(&uuid, namespace::MODEL, uuid.as_str());
                summary(&mut tx.db, &uuid).await
            })
        })
        .await
    }

    /// The UUID of the model that a person names by its name or UUID.
    ///
    /// Asked for with every request, so an answer is kept until some model comes, goes or
    /// changes itself; nothing can be renamed otherwise.
    pub async fn model_by_name_or_uuid(&self, text: &str) -> Result<ModelUuid> {
        let commit = self.last_commit_of_models();
        if let Some(known) = self.inner.names.find(text, commit) {
            return Ok(known);
        }
        let model = self.look_up_model(text).await?;
        self.inner.names.keep(text, &model, commit);
        Ok(model)
    }

    async fn look_up_model(&self, text: &str) -> Result<ModelUuid> {
        let sql = "SELECT uuid FROM model WHERE uuid = $1 OR name = $1 ORDER BY CASE WHEN uuid = $1 THEN 0 ELSE 1 END";
        let mut db = self.glance().await?;
        let model = db.word("model UUID", sql, params![text]).await?;
        model.ok_or_else(|| StoreError::not_found(Subject::Model, text))
    }

    /// Identity and life of a model; none when it is gone.
    pub async fn get_model(&self, model: &ModelUuid) -> Result<Option<ModelInfo>> {
        Ok(self.glance().await?.one(INFO, params![model]).await?)
    }

    /// Begins to remove a model and everything in it. Asked again it is the same; asked with
    /// `force` it becomes forced, with `timeout_ms` as the bound of each phase.
    pub async fn destroy_model(
        &self,
        model: &ModelUuid,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<ModelSummary> {
        self.destroy_model_with(model, force, timeout_ms, None)
            .await
    }

    /// The same with a word for the storage that outlives units: whether it is destroyed, or given up and kept.
    /// Without one a model that has some stays.
    pub async fn destroy_model_with(
        &self,
        model: &ModelUuid,
        force: bool,
        timeout_ms: Option<u64>,
        destroy_storage: Option<bool>,
    ) -> Result<ModelSummary> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let life = crate::require_model(&mut tx.db, &model).await?;
                if life == Life::Alive || destroy_storage.is_some() {
                    storage::model_goes(tx, &model, destroy_storage).await?;
                }
                let sql =
                    "UPDATE model SET life = CASE WHEN life = 'alive' THEN 'dying' ELSE life END,
                        destroy_force = CASE WHEN $2 = 1 THEN 1 ELSE destroy_force END,
                        destroy_timeout_ms = COALESCE($3, destroy_timeout_ms),
                        destroy_started_at = COALESCE(destroy_started_at, $4)
                    WHERE uuid = $1";
                tx.db
                    .execute(sql, params![&model, force, timeout_ms, tx.now])
                    .await?;
                if life == Life::Alive || force {
                    set_status(tx, &model, &Status::new(Model::Destroying, "")).await?;
                    cleanup::enqueue(tx, &model, Kind::ModelApplications, "", force, tx.now)
                        .await?;
                    cleanup::enqueue(tx, &model, Kind::ModelMachines, "", force, tx.now).await?;
                    tx.touch(&model, namespace::MODEL, model.as_str());
                }
                summary(&mut tx.db, &model).await
            })
        })
        .await
    }

    /// What the controller says of the model. One whose credential is not valid is suspended,
    /// not available.
    pub async fn set_model_status(&self, model: &ModelUuid, status: Status<Model>) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let status = match status.status {
                    Model::Available => environ::available(&mut tx.db, &model).await?,
                    _ => status,
                };
                set_status(tx, &model, &status).await
            })
        })
        .await
    }
}

pub(crate) async fn set_status(
    tx: &mut Tx,
    model: &ModelUuid,
    status: &Status<Model>,
) -> Result<()> {
    let written = status::put(tx, model, kind::MODEL, model.as_str(), status).await?;
    if written != status::Written::Nothing {
        tx.touch(model, namespace::MODEL, model.as_str());
    }
    Ok(())
}
