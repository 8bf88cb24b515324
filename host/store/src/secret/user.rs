//! What people do with secrets of the model: add, change, grant, remove.

use std::collections::BTreeSet;

use periapt_model::refusal::Subject;
use periapt_model::secret::{OwnerKind, RotatePolicy, SecretId};
use periapt_model::{ApplicationName, ModelUuid, Refusal};
use periapt_wire::rest::SecretInfo;

use super::change::{self, Described, NewRow, add_revision, describe, insert};
use super::reading::info;
use super::rows::{SecretRow, by_id, named};
use super::{NO_RELATION, Sealed};
use crate::changes::namespace;
use crate::db::{Session, Tx, params};
use crate::error::StoreError;
use crate::{Result, Store, application, require_alive_model};

impl Store {
    /// Adds a user secret; its values are sealed already.
    pub async fn add_user_secret(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        name: &str,
        description: &str,
        content: Sealed,
    ) -> Result<SecretInfo> {
        let (model, id) = (model.clone(), id.clone());
        let (name, description) = (name.to_owned(), description.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let new = NewRow {
                    id: &id,
                    kind: OwnerKind::Model,
                    owner: "",
                    label: &name,
                    description: &description,
                    rotate: RotatePolicy::Never,
                    expires: None,
                    content: &content,
                };
                insert(tx, &model, new).await?;
                shown(tx, &model, &id).await
            })
        })
        .await
    }

    /// Which user secret is meant, before anything is sealed for it.
    ///
    /// # Errors
    /// Code `secret-of-charm` for a secret that is a charm's to change.
    pub async fn user_secret(&self, model: &ModelUuid, secret: &str) -> Result<SecretId> {
        let found = of_people(&mut self.snapshot().await?, model, secret).await?;
        Ok(found.id)
    }

    /// Changes a user secret, all of it or nothing; `content` is a new revision.
    pub async fn update_user_secret(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        said: (Option<String>, Option<String>),
        auto_prune: Option<bool>,
        content: Option<Sealed>,
    ) -> Result<SecretInfo> {
        let (model, id, (name, description)) = (model.clone(), id.clone(), said);
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let row = of_people(&mut tx.db, &model, id.as_str()).await?;
                let said = Described {
                    label: name.as_deref(),
                    description: description.as_deref(),
                    rotate: None,
                    expires: None,
                };
                describe(tx, &model, &row, said).await?;
                if let Some(content) = &content {
                    add_revision(tx, &model, &row, content, None, false).await?;
                }
                if let Some(prune) = auto_prune
                    && prune != row.auto_prune
                {
                    let sql = "UPDATE secret SET auto_prune = $3, updated_at = $4
                        WHERE model_uuid = $1 AND id = $2";
                    let values = params![&model, id.as_str(), prune, tx.now];
                    tx.db.execute(sql, values).await?;
                    tx.touch(&model, namespace::SECRET, id.as_str());
                }
                let row = of_people(&mut tx.db, &model, id.as_str()).await?;
                change::settle(tx, &model, &row).await?;
                shown(tx, &model, &id).await
            })
        })
        .await
    }

    /// Removes a user secret, or one revision of it.
    pub async fn remove_user_secret(
        &self,
        model: &ModelUuid,
        secret: &str,
        revision: Option<u32>,
    ) -> Result<()> {
        let (model, secret) = (model.clone(), secret.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let row = of_people(&mut tx.db, &model, &secret).await?;
                match revision {
                    None => change::remove(tx, &model, &row).await,
                    Some(revision) => {
                        let revisions = BTreeSet::from([revision]);
                        change::remove_revisions(tx, &model, &row, &revisions).await
                    }
                }
            })
        })
        .await
    }

    /// Lets applications read a user secret.
    pub async fn grant_user_secret(
        &self,
        model: &ModelUuid,
        secret: &str,
        applications: Vec<ApplicationName>,
    ) -> Result<SecretInfo> {
        let (model, secret) = (model.clone(), secret.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let row = of_people(&mut tx.db, &model, &secret).await?;
                if applications.is_empty() {
                    return Err(StoreError::bad_request(
                        "name the applications that are to read the secret",
                    ));
                }
                for granted in &applications {
                    application::require_alive(&mut tx.db, &model, granted).await?;
                    change::grant(tx, &model, &row.id, granted.as_str(), NO_RELATION).await?;
                }
                shown(tx, &model, &row.id).await
            })
        })
        .await
    }

    /// Takes back what [`Store::grant_user_secret`] granted.
    pub async fn revoke_user_secret(
        &self,
        model: &ModelUuid,
        secret: &str,
        from: &ApplicationName,
    ) -> Result<SecretInfo> {
        let (model, secret, from) = (model.clone(), secret.to_owned(), from.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let row = of_people(&mut tx.db, &model, &secret).await?;
                change::revoke(tx, &model, &row.id, from.as_str(), NO_RELATION).await?;
                shown(tx, &model, &row.id).await
            })
        })
        .await
    }
}

/// A user secret; one of a charm is the charm's to change.
async fn of_people(db: &mut Session, model: &ModelUuid, secret: &str) -> Result<SecretRow> {
    let row = named(db, model, secret).await?;
    if row.kind != OwnerKind::Model {
        return Err(StoreError::Refused {
            refusal: Refusal::SecretOfCharm,
            message: format!(
                "secret \"{}\" belongs to {} \"{}\"",
                row.id,
                row.kind.as_str(),
                row.owner
            ),
        });
    }
    Ok(row)
}

async fn shown(tx: &mut Tx, model: &ModelUuid, id: &SecretId) -> Result<SecretInfo> {
    let row = by_id(&mut tx.db, model, id).await?;
    let row = row.ok_or_else(|| StoreError::not_found(Subject::Secret, id))?;
    info(&mut tx.db, model, row).await
}
