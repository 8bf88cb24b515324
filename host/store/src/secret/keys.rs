//! Keys of models, sealed under a key of the controller that is in no database.

use periapt_model::{ModelUuid, Refusal};

use crate::changes::namespace;
use crate::db::{Session, Tx, columns, params, word};
use crate::error::StoreError;
use crate::{Result, Store, require_model};

/// Something sealed under a key of the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedKey {
    /// Id of the controller's key.
    pub under: String,
    pub sealed: String,
}

/// A key of the controller, sealed under the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession {
    pub id: String,
    pub under: String,
    pub sealed: String,
    /// Microseconds UTC.
    pub created_at: i64,
}

/// Everything that was sealed under earlier keys of the controller, sealed under its new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resealed {
    pub succession: Succession,
    /// Each with what it was before.
    pub models: Vec<(ModelUuid, SealedKey, String)>,
    /// By name.
    pub backends: Vec<(String, SealedKey, String)>,
    /// Receivers of alerts, by name.
    pub receivers: Vec<(String, SealedKey, String)>,
}

columns! {
    struct Key -> SealedKey {
        under = "sealed_under",
        sealed = "sealed",
    }
    const OF_MODEL = "FROM secret_key WHERE model_uuid = $1";
}

columns! {
    struct ModelKey {
        model: ModelUuid = "model_uuid" as word,
        under: String = "sealed_under",
        sealed: String = "sealed",
    }
    const KEYS = "FROM secret_key ORDER BY model_uuid";
}

columns! {
    struct Next -> Succession {
        id = "key_id",
        under = "sealed_under",
        sealed = "sealed",
        created_at = "created_at",
    }
    const SUCCESSIONS = "FROM secret_key_succession ORDER BY created_at, key_id";
}

/// Where a process says which key of the controller it has.
fn node_key(node: u32) -> String {
    format!("secret-key-of-node-{node}")
}

/// Where it is written which of the controller's keys everything is sealed under, once that is not the first.
const CURRENT: &str = "secret-key";

/// Refuses what was sealed under a key that was replaced meanwhile: nothing comes under it any more.
pub(crate) async fn require_current(tx: &mut Tx, under: &str) -> Result<()> {
    match current(&mut tx.db).await? {
        Some(current) if current != under => Err(meanwhile()),
        _ => Ok(()),
    }
}

async fn current(db: &mut Session) -> Result<Option<String>> {
    let sql = "SELECT value FROM controller_value WHERE key = $1";
    Ok(db.scalar(sql, params![CURRENT]).await?)
}

fn meanwhile() -> StoreError {
    StoreError::Refused {
        refusal: Refusal::TryAgain,
        message: "a key was made, or a secret back end changed, meanwhile".to_owned(),
    }
}

impl Store {
    /// The key of a model; none while it has none.
    pub async fn secret_key(&self, model: &ModelUuid) -> Result<Option<SealedKey>> {
        Ok(self.glance().await?.one(OF_MODEL, params![model]).await?)
    }

    /// Gives a model its key, unless somebody else gave it one meanwhile; the one that it has.
    pub async fn add_secret_key(&self, model: &ModelUuid, key: SealedKey) -> Result<SealedKey> {
        let model = model.clone();
        self.write_aside(move |tx| {
            Box::pin(async move {
                require_model(&mut tx.db, &model).await?;
                require_current(tx, &key.under).await?;
                let sql =
                    "INSERT INTO secret_key (model_uuid, sealed_under, sealed) VALUES ($1, $2, $3)
                    ON CONFLICT (model_uuid) DO NOTHING";
                let row = params![&model, &key.under, &key.sealed];
                tx.db.execute(sql, row).await?;
                let kept = tx.db.one(OF_MODEL, params![&model]).await?;
                kept.ok_or_else(|| StoreError::internal("the key of a model is gone"))
            })
        })
        .await
    }

    /// The keys of all models.
    pub async fn secret_keys(&self) -> Result<Vec<(ModelUuid, SealedKey)>> {
        let keys = self.glance().await?.all(KEYS, vec![]).await?.into_iter();
        let key = |row: ModelKey| {
            let key = SealedKey {
                under: row.under,
                sealed: row.sealed,
            };
            (row.model, key)
        };
        Ok(keys.map(key).collect())
    }

    /// Puts in place what was sealed under the controller's new key.
    ///
    /// # Errors
    /// Code `try-again`, and nothing is changed, if something was sealed under another key meanwhile.
    pub async fn reseal_secret_keys(&self, resealed: Resealed) -> Result<()> {
        self.write(move |tx| {
            Box::pin(async move {
                let next = &resealed.succession;
                require_current(tx, &next.under).await?;
                let sql = "SELECT (SELECT COUNT(*) FROM secret_key WHERE sealed_under <> $1)
                    + (SELECT COUNT(*) FROM secret_backend WHERE sealed_under <> $1)
                    + (SELECT COUNT(*) FROM alert_receiver WHERE sealed_under <> $1)";
                let wanted = tx.db.count(sql, params![&next.id]).await?;
                let brought =
                    resealed.models.len() + resealed.backends.len() + resealed.receivers.len();
                if wanted != brought as u64 {
                    return Err(meanwhile());
                }
                for (model, before, sealed) in &resealed.models {
                    let sql = "UPDATE secret_key SET sealed_under = $2, sealed = $3
                        WHERE model_uuid = $1 AND sealed_under = $4 AND sealed = $5";
                    let values = params![model, &next.id, sealed, &before.under, &before.sealed];
                    if tx.db.execute(sql, values).await? == 0 {
                        return Err(meanwhile());
                    }
                }
                for (name, before, sealed) in &resealed.backends {
                    let sql = "UPDATE secret_backend SET sealed_under = $2, sealed_config = $3
                        WHERE name = $1 AND sealed_under = $4 AND sealed_config = $5";
                    let values = params![name, &next.id, sealed, &before.under, &before.sealed];
                    if tx.db.execute(sql, values).await? == 0 {
                        return Err(meanwhile());
                    }
                }
                for (name, before, sealed) in &resealed.receivers {
                    let sql = "UPDATE alert_receiver SET sealed_under = $2, sealed_config = $3
                        WHERE name = $1 AND sealed_under = $4 AND sealed_config = $5";
                    let values = params![name, &next.id, sealed, &before.under, &before.sealed];
                    if tx.db.execute(sql, values).await? == 0 {
                        return Err(meanwhile());
                    }
                }
                let sql =
                    "INSERT INTO secret_key_succession (key_id, sealed_under, sealed, created_at)
                    VALUES ($1, $2, $3, $4)";
                let row = params![&next.id, &next.under, &next.sealed, next.created_at];
                tx.db.execute(sql, row).await?;
                let sql = "INSERT INTO controller_value (key, value) VALUES ($1, $2)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value";
                tx.db.execute(sql, params![CURRENT, &next.id]).await?;
                tx.touch_controller(namespace::SECRET_BACKEND, "");
                Ok(())
            })
        })
        .await
    }

    /// The key of the controller under which everything is sealed; none while it is the first.
    pub async fn current_secret_key(&self) -> Result<Option<String>> {
        current(&mut self.glance().await?).await
    }

    /// The controller's keys that some process has not taken over yet, the oldest first.
    pub async fn secret_successions(&self) -> Result<Vec<Succession>> {
        Ok(self.glance().await?.all(SUCCESSIONS, vec![]).await?)
    }

    /// Says which key of the controller a process has on its disk. What all processes have needs not be
    /// handed on any more.
    pub async fn secret_key_taken_over(&self, node: u32, key: &str) -> Result<()> {
        let key = key.to_owned();
        self.write_aside(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO controller_value (key, value) VALUES ($1, $2)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value";
                tx.db.execute(sql, params![node_key(node), &key]).await?;
                let nodes: Vec<u32> = tx
                    .db
                    .scalars(
                        "SELECT node FROM controller_node WHERE seen_at >= 0",
                        vec![],
                    )
                    .await?;
                for other in nodes {
                    let sql = "SELECT value FROM controller_value WHERE key = $1";
                    let has: Option<String> = tx.db.scalar(sql, params![node_key(other)]).await?;
                    if has.as_deref() != Some(key.as_str()) {
                        return Ok(());
                    }
                }
                if current(&mut tx.db).await?.as_deref() == Some(key.as_str()) {
                    let sql = "DELETE FROM secret_key_succession";
                    tx.db.execute(sql, vec![]).await?;
                }
                Ok(())
            })
        })
        .await
    }
}
