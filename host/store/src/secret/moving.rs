//! Revisions on their way to the back end that their model wants.

use periapt_model::ModelUuid;
use periapt_model::secret::{INTERNAL_BACKEND, SecretId};
use periapt_wire::agent::secrets::Misplaced;

use super::options::{AUTO, OPTION};
use super::rows::content;
use super::{Sealed, leftover};
use crate::changes::namespace;
use crate::db::{Session, columns, params, word};
use crate::model::config;
use crate::{Result, Store, require_model};

columns! {
    struct Row -> Misplaced {
        id = "secret" as word,
        revision = "revision",
    }
    const ELSEWHERE = "FROM secret_revision WHERE model_uuid = $1 AND backend <> $2
            AND (secret > $3 OR (secret = $3 AND revision > $4))
        ORDER BY secret, revision LIMIT 100";
}

/// The back end that new revisions of a model go to.
async fn wanted(db: &mut Session, model: &ModelUuid) -> Result<String> {
    let set = config::value(db, model, OPTION).await?;
    Ok(match set.map(|value| value.to_string()) {
        Some(name) if name != AUTO => name,
        _ => INTERNAL_BACKEND.to_owned(),
    })
}

impl Store {
    /// The back end that new revisions of a model go to.
    pub async fn wanted_secret_backend(&self, model: &ModelUuid) -> Result<String> {
        wanted(&mut self.glance().await?, model).await
    }

    /// Revisions of a model that are in another back end than it wants, so many at a time of those that come
    /// `after` one. So whoever cannot move some gets to the others.
    pub async fn misplaced_secrets(
        &self,
        model: &ModelUuid,
        after: Option<&Misplaced>,
    ) -> Result<Vec<Misplaced>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        let wanted = wanted(&mut db, model).await?;
        let (secret, revision) = match after {
            Some(after) => (after.id.as_str(), after.revision),
            None => ("", 0),
        };
        let values = params![model, wanted, secret, revision];
        Ok(db.all(ELSEWHERE, values).await?)
    }

    /// The content of a revision of a model; none of one that is gone.
    pub async fn secret_content(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        revision: u32,
    ) -> Result<Option<Sealed>> {
        content(&mut self.glance().await?, model, id, revision).await
    }

    /// A revision is read from where it was written from now on. False if it is no more where it was.
    pub async fn move_secret(
        &self,
        model: &ModelUuid,
        id: &SecretId,
        revision: u32,
        before: &Sealed,
        after: Sealed,
    ) -> Result<bool> {
        let (model, id, before) = (model.clone(), id.clone(), before.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "UPDATE secret_revision SET backend = $4, content_id = $5, sealed = $6, checksum = $7
                    WHERE model_uuid = $1 AND secret = $2 AND revision = $3 AND content_id = $8";
                let values = params![
                    &model,
                    id.as_str(),
                    revision,
                    &after.backend,
                    &after.content_id,
                    &after.sealed,
                    &after.checksum,
                    &before.content_id
                ];
                if tx.db.execute(sql, values).await? == 0 {
                    return Ok(false);
                }
                leftover::named(tx, &after).await?;
                leftover::leave(tx, &model, &before.backend, &before.content_id).await?;
                tx.touch(&model, namespace::SECRET, id.as_str());
                Ok(true)
            })
        })
        .await
    }
}
