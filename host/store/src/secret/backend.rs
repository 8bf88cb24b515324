//! Back ends of secrets outside the database: where they are, and what became of them.

use std::collections::BTreeMap;

use periapt_model::Refusal;
use periapt_model::nearest::suggestion;
use periapt_model::refusal::Subject;
use periapt_model::secret::INTERNAL_BACKEND;

use super::SealedKey;
use super::keys::require_current;
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json};
use crate::error::StoreError;
use crate::model::defaults;
use crate::{Result, Store};

/// A back end as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretBackend {
    pub name: String,
    pub kind: String,
    /// Without what is secret in it.
    pub config: BTreeMap<String, String>,
    pub secret_config: SealedKey,
    /// Seconds; never when left out.
    pub token_rotate_interval: Option<u64>,
    /// Microseconds UTC.
    pub next_token_rotate: Option<i64>,
    /// Why it cannot be used; empty while it can.
    pub message: String,
    /// Revisions in it, of all models.
    pub secrets: u64,
}

/// What a back end is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendChange {
    pub config: BTreeMap<String, String>,
    pub secret_config: SealedKey,
    pub token_rotate_interval: Option<u64>,
}

columns! {
    struct Row {
        name: String = "secret_backend.name",
        kind: String = "secret_backend.kind",
        config: BTreeMap<String, String> = "secret_backend.config" as json,
        sealed: String = "secret_backend.sealed_config",
        under: String = "secret_backend.sealed_under",
        token_rotate_interval: Option<u64> = "secret_backend.token_rotate_interval",
        next_token_rotate: Option<i64> = "secret_backend.next_token_rotate",
        message: String = "secret_backend.message",
        secrets: u64 = "(SELECT COUNT(*) FROM secret_revision
            WHERE secret_revision.backend = secret_backend.name)",
    }
    const ALL = "FROM secret_backend ORDER BY secret_backend.name";
    const ONE = "FROM secret_backend WHERE secret_backend.name = $1";
}

impl From<Row> for SecretBackend {
    fn from(row: Row) -> Self {
        Self {
            name: row.name,
            kind: row.kind,
            config: row.config,
            secret_config: SealedKey {
                under: row.under,
                sealed: row.sealed,
            },
            token_rotate_interval: row.token_rotate_interval,
            next_token_rotate: row.next_token_rotate,
            message: row.message,
            secrets: row.secrets,
        }
    }
}

async fn find(db: &mut Session, name: &str) -> Result<SecretBackend> {
    if let Some(row) = db.one(ONE, params![name]).await? {
        return Ok(row.into());
    }
    let known: Vec<String> = db
        .scalars("SELECT name FROM secret_backend ORDER BY name", vec![])
        .await?;
    let shown: String = name.chars().take(80).collect();
    Err(StoreError::Refused {
        refusal: Refusal::NotFound(Subject::SecretBackend),
        message: format!(
            "secret back end \"{shown}\" not found{}",
            suggestion(
                name,
                known.iter().map(String::as_str).chain([INTERNAL_BACKEND])
            )
        ),
    })
}

fn meanwhile(name: &str) -> StoreError {
    StoreError::Refused {
        refusal: Refusal::TryAgain,
        message: format!("secret back end \"{name}\" was changed meanwhile"),
    }
}

/// When a token is replaced next.
fn next(interval: Option<u64>, now: i64) -> Option<i64> {
    let interval = i64::try_from(interval?).unwrap_or(i64::MAX);
    Some(now.saturating_add(interval.saturating_mul(1_000_000)))
}

impl Store {
    /// All back ends but the database, by name.
    pub async fn secret_backends(&self) -> Result<Vec<SecretBackend>> {
        let rows = self.glance().await?.all(ALL, vec![]).await?;
        Ok(rows.into_iter().map(SecretBackend::from).collect())
    }

    /// One back end.
    pub async fn secret_backend(&self, name: &str) -> Result<SecretBackend> {
        find(&mut self.snapshot().await?, name).await
    }

    /// Revisions that are in the database, of all models.
    pub async fn internal_secrets(&self) -> Result<u64> {
        let sql = "SELECT COUNT(*) FROM secret_revision WHERE backend = $1";
        Ok(self
            .glance()
            .await?
            .count(sql, params![INTERNAL_BACKEND])
            .await?)
    }

    /// Adds a back end.
    pub async fn add_secret_backend(
        &self,
        name: &str,
        kind: &str,
        change: BackendChange,
    ) -> Result<SecretBackend> {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                require_current(tx, &change.secret_config.under).await?;
                if tx.db.one(ONE, params![&name]).await?.is_some() {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::SecretBackend,
                        name,
                    });
                }
                let sql =
                    "INSERT INTO secret_backend (name, kind, config, sealed_config, sealed_under,
                        token_rotate_interval, next_token_rotate, created_at)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
                let row = params![
                    &name,
                    &kind,
                    to_json(&change.config)?,
                    &change.secret_config.sealed,
                    &change.secret_config.under,
                    change.token_rotate_interval,
                    next(change.token_rotate_interval, tx.now),
                    tx.now
                ];
                tx.db.execute(sql, row).await?;
                tx.touch_controller(namespace::SECRET_BACKEND, name.as_str());
                find(&mut tx.db, &name).await
            })
        })
        .await
    }

    /// Changes a back end that still is as the change was decided on.
    pub async fn set_secret_backend(
        &self,
        before: SecretBackend,
        change: BackendChange,
    ) -> Result<SecretBackend> {
        self.write(move |tx| {
            Box::pin(async move {
                require_current(tx, &change.secret_config.under).await?;
                let due = match change.token_rotate_interval == before.token_rotate_interval {
                    true => before.next_token_rotate,
                    false => next(change.token_rotate_interval, tx.now),
                };
                let sql =
                    "UPDATE secret_backend SET config = $2, sealed_config = $3, sealed_under = $4,
                        token_rotate_interval = $5, next_token_rotate = $6, message = ''
                    WHERE name = $1 AND sealed_config = $7 AND config = $8";
                let values = params![
                    &before.name,
                    to_json(&change.config)?,
                    &change.secret_config.sealed,
                    &change.secret_config.under,
                    change.token_rotate_interval,
                    due,
                    &before.secret_config.sealed,
                    to_json(&before.config)?
                ];
                if tx.db.execute(sql, values).await? == 0 {
                    find(&mut tx.db, &before.name).await?;
                    return Err(meanwhile(&before.name));
                }
                tx.touch_controller(namespace::SECRET_BACKEND, before.name.as_str());
                find(&mut tx.db, &before.name).await
            })
        })
        .await
    }

    /// A back end that still is as its token was drawn for has that token, until the next is due.
    ///
    /// # Errors
    /// Code `try-again`, and nothing is changed, if it is not.
    pub async fn secret_token_rotated(
        &self,
        before: SecretBackend,
        token: SealedKey,
    ) -> Result<()> {
        self.write(move |tx| {
            Box::pin(async move {
                require_current(tx, &token.under).await?;
                let found = find(&mut tx.db, &before.name).await?;
                let due = next(found.token_rotate_interval, tx.now);
                let sql = "UPDATE secret_backend
                    SET sealed_config = $2, sealed_under = $3, next_token_rotate = $4, message = ''
                    WHERE name = $1 AND sealed_config = $5 AND config = $6";
                let values = params![
                    &before.name,
                    &token.sealed,
                    &token.under,
                    due,
                    &before.secret_config.sealed,
                    to_json(&before.config)?
                ];
                if tx.db.execute(sql, values).await? == 0 {
                    return Err(meanwhile(&before.name));
                }
                tx.touch_controller(namespace::SECRET_BACKEND, before.name.as_str());
                Ok(())
            })
        })
        .await
    }

    /// Says why a back end cannot be used; nothing while it can.
    pub async fn set_secret_backend_message(&self, name: &str, message: &str) -> Result<()> {
        let (name, message) = (name.to_owned(), message.to_owned());
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql =
                    "UPDATE secret_backend SET message = $2 WHERE name = $1 AND message <> $2";
                if tx.db.execute(sql, params![&name, &message]).await? > 0 {
                    tx.touch_controller(namespace::SECRET_BACKEND, name.as_str());
                }
                Ok(())
            })
        })
        .await
    }

    /// Removes a back end. One that models want, or in which there are revisions, stays unless it is to go by
    /// `force`; what is in it cannot be read any more then, and is not removed there.
    pub async fn remove_secret_backend(&self, name: &str, force: bool) -> Result<()> {
        let name = name.to_owned();
        self.write(move |tx| {
            Box::pin(async move {
                let found = find(&mut tx.db, &name).await?;
                let sql = "SELECT (SELECT COUNT(*) FROM model_config WHERE key = 'secret-backend' AND value = $1)
                    + (SELECT COUNT(*) FROM model JOIN model_default ON model_default.cloud = model.cloud
                        WHERE model_default.key = 'secret-backend' AND model_default.value = $1
                            AND (model_default.region = '' OR model_default.region = model.region))";
                let models = tx.db.count(sql, params![to_json(&name)?]).await?;
                if (found.secrets > 0 || models > 0) && !force {
                    return Err(StoreError::Refused {
                        refusal: Refusal::SecretBackendInUse,
                        message: format!(
                            "secret back end \"{name}\" has {} revisions of secrets, and {models} models want it",
                            found.secrets
                        ),
                    });
                }
                let sql = "SELECT COUNT(*) FROM secret_leftover WHERE backend = $1";
                let left = tx.db.count(sql, params![&name]).await?;
                if left > 0 && !force {
                    return Err(StoreError::Refused {
                        refusal: Refusal::SecretBackendInUse,
                        message: format!(
                            "secret back end \"{name}\" holds {left} revisions that nobody needs any more and that are being removed from it"
                        ),
                    });
                }
                let sql = "SELECT model_uuid FROM model_config WHERE key = 'secret-backend' AND value = $1";
                let wanting: Vec<String> = tx.db.scalars(sql, params![to_json(&name)?]).await?;
                for model in wanting {
                    let sql = "DELETE FROM model_config WHERE model_uuid = $1 AND key = 'secret-backend'";
                    tx.db.execute(sql, params![&model]).await?;
                    tx.touch(&model, namespace::MODEL_CONFIG, "");
                }
                defaults::forget(tx, "secret-backend", &to_json(&name)?).await?;
                for sql in [
                    "DELETE FROM secret_leftover WHERE backend = $1",
                    "DELETE FROM secret_backend WHERE name = $1",
                ] {
                    tx.db.execute(sql, params![&name]).await?;
                }
                tx.touch_controller(namespace::SECRET_BACKEND, name.as_str());
                Ok(())
            })
        })
        .await
    }

    /// Back ends whose tokens are to be replaced, with when.
    pub async fn secret_token_rotations(&self) -> Result<Vec<(String, i64)>> {
        let all = self.secret_backends().await?.into_iter();
        Ok(all
            .filter_map(|backend| Some((backend.name, backend.next_token_rotate?)))
            .collect())
    }
}
