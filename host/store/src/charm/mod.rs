//! Charms of a model: revisions, and which applications wait for one to be compiled.

use bytes::Bytes;
use periapt_model::charm::{CharmInfo, CharmUrl};
use periapt_model::refusal::Subject;
use periapt_model::{ApplicationName, ModelUuid};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, json, params, to_json};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store};

mod compiled;
mod readme;
mod revisions;
#[cfg(test)]
mod tests;

pub use compiled::CompiledForm;
pub(crate) use compiled::drop_unused_charm;
pub(crate) use revisions::{channel, follow};

pub(crate) const TABLES: &[Table] = tables! {
    "charm";
};

columns! {
    struct CharmRow {
        info: CharmInfo = "info" as json,
    }
    const CHARMS = "FROM charm WHERE model_uuid = $1 ORDER BY name, revision";
}

impl Store {
    /// Stores an archive as the next revision of its charm. The URL and revision in `info` are
    /// ignored. The same archive again gives the revision it has.
    pub async fn add_charm(
        &self,
        model: &ModelUuid,
        info: CharmInfo,
        archive: Bytes,
    ) -> Result<CharmInfo> {
        self.put_charm(model, info, archive, None).await
    }

    /// The same with what the charm was compiled to, whose bytes are stored already.
    pub async fn add_compiled_charm(
        &self,
        model: &ModelUuid,
        info: CharmInfo,
        archive: Bytes,
        form: CompiledForm,
    ) -> Result<CharmInfo> {
        self.put_charm(model, info, archive, Some(form)).await
    }

    async fn put_charm(
        &self,
        model: &ModelUuid,
        info: CharmInfo,
        archive: Bytes,
        form: Option<CompiledForm>,
    ) -> Result<CharmInfo> {
        crate::require_alive_model(&mut self.glance().await?, model).await?;
        let size = archive.len() as u64;
        let sha256 = self.put_blob(archive).await?;
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_alive_model(&mut tx.db, &model).await?;
                // The model that brought the bytes may have gone, and the bytes with it.
                let form_digest = form.as_ref().map(|form| &form.digest);
                for digest in [Some(&sha256), form_digest].into_iter().flatten() {
                    let sql = "SELECT COUNT(*) FROM blob WHERE digest = $1";
                    if tx.db.count(sql, params![digest]).await? == 0 {
                        return Err(StoreError::not_found(Subject::Blob, digest));
                    }
                }
                let sql =
                    "SELECT info FROM charm WHERE model_uuid = $1 AND sha256 = $2 AND name = $3";
                let key = params![&model, &sha256, &info.name];
                let known: Option<CharmInfo> = tx.db.document("charm", sql, key).await?;
                let charm = match known {
                    Some(known) => known,
                    None => {
                        next_revision(
                            tx,
                            &model,
                            CharmInfo {
                                sha256,
                                size,
                                ..info
                            },
                        )
                        .await?
                    }
                };
                if let Some(form) = form {
                    compiled::record(tx, &charm.sha256, &form).await?;
                }
                Ok(charm)
            })
        })
        .await
    }

    /// All charms of a model, by name and revision.
    pub async fn charms(&self, model: &ModelUuid) -> Result<Vec<CharmInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let charms = db.all(CHARMS, params![model]).await?;
        Ok(charms.into_iter().map(|charm| charm.info).collect())
    }

    /// One charm by its URL.
    pub async fn get_charm(&self, model: &ModelUuid, url: &str) -> Result<CharmInfo> {
        find(&mut self.glance().await?, model, url).await
    }

    /// The charm that an application wants.
    pub async fn application_charm(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
    ) -> Result<CharmInfo> {
        of_application(&mut self.glance().await?, model, application).await
    }

    /// Applications whose charm has not been compiled for this engine.
    pub async fn pending_charms(
        &self,
        model: &ModelUuid,
        engine_hash: &str,
    ) -> Result<Vec<ApplicationName>> {
        let sql = "SELECT application.name FROM application
            JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
            WHERE application.model_uuid = $1 AND application.life = 'alive'
            AND NOT EXISTS (SELECT 1 FROM compiled_charm
                WHERE compiled_charm.charm_sha256 = charm.sha256 AND compiled_charm.engine_hash = $2)
            ORDER BY application.name";
        let mut db = self.glance().await?;
        let values = params![model, engine_hash];
        Ok(db.words("application", sql, values).await?)
    }
}

/// The charm that an application wants.
pub(crate) async fn of_application(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<CharmInfo> {
    let sql = "SELECT charm.info FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
    let charm = db
        .document("charm", sql, params![model, application])
        .await?;
    charm.ok_or_else(|| StoreError::not_found(Subject::Application, application))
}

/// Adds a charm under the next number of its name.
async fn next_revision(tx: &mut Tx, model: &ModelUuid, info: CharmInfo) -> Result<CharmInfo> {
    let next = tx
        .take_numbers(model, &format!("charm {}", info.name), 1)
        .await?;
    let revision = u32::try_from(next).unwrap_or(u32::MAX);
    let url = CharmUrl::new(&info.name, revision)?;
    let info = CharmInfo {
        url,
        revision,
        ..info
    };
    let sql = "INSERT INTO charm (model_uuid, url, name, revision, sha256, info, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let text = info.url.to_string();
    let json = to_json(&info)?;
    let params = params![
        model,
        &text,
        &info.name,
        revision,
        &info.sha256,
        json,
        tx.now
    ];
    tx.db.execute(sql, params).await?;
    tx.touch(model, namespace::CHARM, text);
    Ok(info)
}

/// One charm by its URL.
pub(crate) async fn find(db: &mut Session, model: &ModelUuid, url: &str) -> Result<CharmInfo> {
    let url: CharmUrl = url.parse()?;
    let sql = "SELECT info FROM charm WHERE model_uuid = $1 AND url = $2";
    let key = params![model, url.to_string()];
    let charm = db.document("charm", sql, key).await?;
    charm.ok_or_else(|| StoreError::not_found(Subject::Charm, &url))
}

/// The archives of a model's charms.
pub(crate) async fn archives(db: &mut Session, model: &ModelUuid) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT sha256 FROM charm WHERE model_uuid = $1";
    Ok(db.scalars(sql, params![model]).await?)
}
