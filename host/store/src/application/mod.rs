//! What happens to applications: in `deploy`, `config`, `constraints`, `exposure`, `minimum`, `assignments` and `removal`; and whether the controller
//! can prepare their charms.

use std::collections::HashSet;

use periapt_model::bounds::TEXT_BYTES;
use periapt_model::refusal::Subject;
use periapt_model::status::{Status, Workload};
use periapt_model::{ApplicationName, Life, ModelUuid};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, optional_json, params, to_json, word};
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store, status, views};

mod assignments;
pub(crate) mod config;
mod constraints;
mod deploy;
mod exposure;
mod minimum;
pub(crate) mod removal;
mod scale;

pub(crate) use deploy::take_revision;

pub(crate) const TABLES: &[Table] = tables! {
    "application", Application "name = $2";
};

columns! {
    struct Named {
        model: String = "model_uuid",
        name: String = "name",
    }
    const NAMES = "FROM application";
}

impl Store {
    /// Model and name of every application, to tell whose figures are still wanted.
    pub async fn application_names(&self) -> Result<HashSet<(String, String)>> {
        let names = self.glance().await?.all(NAMES, vec![]).await?.into_iter();
        Ok(names.map(|named| (named.model, named.name)).collect())
    }
}

columns! {
    struct Standing {
        life: Life = "life" as word,
        charm: String = "charm_url",
    }
    const STANDING = "FROM application WHERE model_uuid = $1 AND name = $2";
}

/// That the application is there.
pub(crate) async fn require(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<()> {
    match db.one(STANDING, params![model, application]).await? {
        Some(_) => Ok(()),
        None => Err(StoreError::not_found(Subject::Application, application)),
    }
}

/// Fails unless the application is there and alive; the URL of its charm.
pub(crate) async fn require_alive(
    db: &mut Session,
    model: &ModelUuid,
    application: &ApplicationName,
) -> Result<String> {
    let found = db.one(STANDING, params![model, application]).await?;
    let found = found.ok_or_else(|| StoreError::not_found(Subject::Application, application))?;
    match found.life {
        Life::Alive => Ok(found.charm),
        life => Err(StoreError::NotAlive {
            kind: Subject::Application,
            name: application.to_string(),
            life,
        }),
    }
}

columns! {
    /// How an application's charm is prepared.
    struct Preparing {
        trouble: Option<Status<Workload>> = "application.trouble" as optional_json,
        compiled: u64 = "(SELECT COUNT(*) FROM compiled_charm
            WHERE compiled_charm.charm_sha256 = charm.sha256 AND compiled_charm.engine_hash = $3)",
    }
    const PREPARING = "FROM application JOIN charm ON charm.model_uuid = application.model_uuid
            AND charm.url = application.charm_url
        WHERE application.model_uuid = $1 AND application.name = $2";
}

columns! {
    /// An application that wants a charm.
    struct Wanting {
        model: ModelUuid = "application.model_uuid" as word,
        application: ApplicationName = "application.name" as word,
    }
    const WANTING = "FROM application
        JOIN charm ON charm.model_uuid = application.model_uuid AND charm.url = application.charm_url
        WHERE charm.sha256 = $1 AND application.trouble IS NOT NULL";
}

impl Store {
    /// Records that the controller cannot prepare an application's charm for this engine; it is
    /// shown as the application's error until it can, see [`prepared`]. Nothing is recorded when
    /// it can by now, as another process may have found out.
    pub async fn set_charm_trouble(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        engine_hash: &str,
        message: &str,
    ) -> Result<()> {
        let (model, application) = (model.clone(), application.clone());
        let engine = engine_hash.to_owned();
        let message = TEXT_BYTES.cut(message).into_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let key = params![&model, &application, engine];
                let found = tx.db.one(PREPARING, key).await?;
                let found = found
                    .ok_or_else(|| StoreError::not_found(Subject::Application, &application))?;
                let known = found.trouble.is_some_and(|known| known.message == message);
                if known || found.compiled > 0 {
                    return Ok(());
                }
                let error = Status {
                    since: tx.now,
                    ..Status::new(Workload::Error, message)
                };
                put_trouble(tx, &model, &application, Some(&error)).await
            })
        })
        .await
    }
}

/// Takes away what stood against the applications that want a charm with this digest.
pub(crate) async fn prepared(tx: &mut Tx, charm_sha256: &str) -> Result<()> {
    for wanting in tx.db.all(WANTING, params![charm_sha256]).await? {
        put_trouble(tx, &wanting.model, &wanting.application, None).await?;
    }
    Ok(())
}

/// Puts an error in the place of the last one, or takes that away.
pub(crate) async fn put_trouble(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    error: Option<&Status<Workload>>,
) -> Result<()> {
    let sql = "UPDATE application SET trouble = $3 WHERE model_uuid = $1 AND name = $2
        AND COALESCE(trouble, $3) IS NOT NULL";
    let json = error.map(to_json).transpose()?;
    let changed = tx
        .db
        .execute(sql, params![model, application, json])
        .await?;
    if changed == 0 {
        return Ok(());
    }
    // The history has what is shown from now on.
    let shown = views::application::find(&mut tx.db, model, application)
        .await?
        .status;
    let word = shown.status.to_string();
    let whose = status::kind::APPLICATION;
    status::record(
        tx,
        model,
        whose,
        application.as_str(),
        &word,
        &shown.message,
    )
    .await?;
    tx.touch(model, namespace::APPLICATION_STATUS, application.as_str());
    Ok(())
}
