//! What the provider of a model is allowed to do, and what it has made of the model's environment.
//!
//! The credential of a model is what lets its provider make instances. The store does not know
//! what it consists of; it knows whether it is valid, and why not. A provider that is refused
//! says so here, and a person may; only a person says that it is valid again. Every model that uses
//! the credential says `suspended` meanwhile, from the same transaction on.

use periapt_model::refusal::Subject;
use periapt_model::status::{Model, Status};
use periapt_model::{Life, ModelUuid, bounds};
use periapt_wire::rest::ModelCredential;

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, model};

#[cfg(test)]
mod tests;

impl Store {
    /// Whether the model's credential is valid.
    pub async fn model_credential(&self, model: &ModelUuid) -> Result<ModelCredential> {
        read(&mut self.glance().await?, model).await
    }

    /// Says that the model's credential is not valid, and why. The model is suspended.
    pub async fn invalidate_credential(
        &self,
        model: &ModelUuid,
        reason: &str,
    ) -> Result<ModelCredential> {
        let reason = match reason.trim() {
            "" => "no reason was given",
            reason => reason,
        };
        let reason: String = reason
            .chars()
            .take(bounds::CREDENTIAL_REASON.length())
            .collect();
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let before = read(&mut tx.db, &model).await?;
                let since = if before.valid { tx.now } else { before.since };
                if before.reason != reason {
                    say(tx, &before, &reason, since).await?;
                }
                read(&mut tx.db, &model).await
            })
        })
        .await
    }

    /// Says that the model's credential is valid: it was replaced, or what refused it was set
    /// right. Whoever uses it begins anew, also when it was valid before.
    pub async fn update_credential(&self, model: &ModelUuid) -> Result<ModelCredential> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let before = read(&mut tx.db, &model).await?;
                // Each time is another one, so that everybody notices.
                let since = tx.now.max(before.since.saturating_add(1));
                say(tx, &before, "", since).await?;
                read(&mut tx.db, &model).await
            })
        })
        .await
    }

    /// The version to which the provider last brought what it keeps for the model; 0 at first.
    pub async fn environ_version(&self, model: &ModelUuid) -> Result<u32> {
        let sql = "SELECT environ_version FROM model WHERE uuid = $1";
        let mut db = self.glance().await?;
        let version = db.scalar(sql, params![model]).await?;
        version.ok_or_else(|| StoreError::not_found(Subject::Model, model))
    }

    /// Records a step of the provider's. A version never goes back.
    pub async fn set_environ_version(&self, model: &ModelUuid, version: u32) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                let sql = "UPDATE model SET environ_version = $2
                    WHERE uuid = $1 AND environ_version < $2";
                tx.db.execute(sql, params![&model, version]).await?;
                Ok(())
            })
        })
        .await
    }
}

/// The status that the model shows when its workers have nothing to say against it.
pub(crate) async fn available(db: &mut Session, model: &ModelUuid) -> Result<Status<Model>> {
    let credential = read(db, model).await?;
    Ok(if credential.valid {
        Status::new(Model::Available, "")
    } else {
        Status::new(
            Model::Suspended,
            format!(
                "suspended since its credential is not valid: {}",
                credential.reason
            ),
        )
    })
}

/// Writes what is said of a credential, and tells every model that uses it.
async fn say(tx: &mut Tx, held: &ModelCredential, refused: &str, since: i64) -> Result<()> {
    let sql = "UPDATE cloud_credential SET refused = $4, since = $5
        WHERE cloud = $1 AND owner = $2 AND name = $3";
    let params = params![&held.cloud, &held.owner, &held.name, refused, since];
    tx.db.execute(sql, params).await?;
    let sql = "SELECT uuid FROM model WHERE cloud = $1 AND owner = $2 AND credential = $3";
    let params = params![&held.cloud, &held.owner, &held.name];
    let models: Vec<ModelUuid> = tx.db.words("model UUID", sql, params).await?;
    for model in models {
        tx.touch(&model, namespace::MODEL, model.as_str());
        show(tx, &model).await?;
    }
    Ok(())
}

columns! {
    /// What a model shows.
    struct Shown {
        life: Life = "model.life" as word,
        status: Model = "COALESCE(status.status, 'available')" as word,
    }
    const SHOWN = "FROM model LEFT JOIN status ON status.model_uuid = model.uuid
            AND status.kind = 'model' AND status.entity = model.uuid
        WHERE model.uuid = $1";
}

columns! {
    struct Held {
        refused: String = "held.refused",
        since: i64 = "held.since",
        cloud: String = "held.cloud",
        owner: String = "held.owner",
        name: String = "held.name",
    }
    const HELD = "FROM model JOIN cloud_credential AS held ON held.cloud = model.cloud
            AND held.owner = model.owner AND held.name = model.credential
        WHERE model.uuid = $1";
}

/// Shows the credential in the status of a model that lives. One that waits for its environment
/// to be upgraded, or failed at that, goes on saying so.
async fn show(tx: &mut Tx, model: &ModelUuid) -> Result<()> {
    let Some(shown) = tx.db.one(SHOWN, params![model]).await? else {
        return Ok(());
    };
    if shown.life.is_alive() && matches!(shown.status, Model::Available | Model::Suspended) {
        let status = available(&mut tx.db, model).await?;
        model::set_status(tx, model, &status).await?;
    }
    Ok(())
}

async fn read(db: &mut Session, model: &ModelUuid) -> Result<ModelCredential> {
    let held = db.one(HELD, params![model]).await?;
    let held = held.ok_or_else(|| StoreError::not_found(Subject::Model, model))?;
    Ok(ModelCredential {
        valid: held.refused.is_empty(),
        reason: held.refused,
        since: held.since,
        cloud: held.cloud,
        owner: held.owner,
        name: held.name,
    })
}
