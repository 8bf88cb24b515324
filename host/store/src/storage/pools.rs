//! Pools that people made, beside those that every model has.

use std::collections::BTreeMap;

use periapt_model::refusal::Subject;
use periapt_model::storage::{Pool, PoolKind, Pools};
use periapt_model::{ModelUuid, Refusal};
use periapt_wire::rest::{NewStoragePool, StoragePoolInfo};

use super::options::Stock;
use crate::changes::namespace;
use crate::db::{Session, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::{Result, Store, require_alive_model, require_model};

columns! {
    struct PoolRow {
        name: String = "name",
        provider: PoolKind = "provider" as word,
        attributes: BTreeMap<String, String> = "attributes" as json,
    }
    const MADE = "FROM storage_pool WHERE model_uuid = $1 ORDER BY name";
}

columns! {
    struct Used {
        pool: String = "pool",
        count: u64 = "COUNT(*)",
    }
    const USED = "FROM storage WHERE model_uuid = $1 GROUP BY pool";
}

/// All pools of a model.
pub(super) async fn pools(db: &mut Session, model: &ModelUuid) -> Result<Pools> {
    let made: Vec<PoolRow> = db.all(MADE, params![model]).await?;
    Ok(Pools::with(made.into_iter().map(|row| {
        let PoolRow {
            name,
            provider,
            attributes,
        } = row;
        let pool = Pool {
            provider,
            attributes,
        };
        (name, pool)
    })))
}

async fn infos(db: &mut Session, model: &ModelUuid) -> Result<Vec<StoragePoolInfo>> {
    let used: Vec<Used> = db.all(USED, params![model]).await?;
    let used: BTreeMap<String, u64> = used.into_iter().map(|row| (row.pool, row.count)).collect();
    let pools = pools(db, model).await?;
    let shown = pools.iter().map(|(name, pool)| StoragePoolInfo {
        name: name.clone(),
        provider: pool.provider,
        attributes: pool.attributes.clone(),
        built_in: PoolKind::ALL.iter().any(|kind| kind.as_str() == name),
        storages: used.get(name).copied().unwrap_or_default(),
    });
    Ok(shown.collect())
}

impl Store {
    /// All pools of a model, by name.
    pub async fn storage_pools(&self, model: &ModelUuid) -> Result<Vec<StoragePoolInfo>> {
        let mut db = self.snapshot().await?;
        require_model(&mut db, model).await?;
        infos(&mut db, model).await
    }

    /// Adds a pool.
    pub async fn create_storage_pool(
        &self,
        model: &ModelUuid,
        request: NewStoragePool,
    ) -> Result<StoragePoolInfo> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                require_alive_model(&mut tx.db, &model).await?;
                let NewStoragePool {
                    name,
                    provider,
                    attributes,
                } = request;
                let pool = Pool {
                    provider: provider.parse()?,
                    attributes,
                };
                pool.check(&name)?;
                let sql =
                    "INSERT INTO storage_pool (model_uuid, name, provider, attributes, created_at)
                    VALUES ($1, $2, $3, $4, $5) ON CONFLICT (model_uuid, name) DO NOTHING";
                let values = params![
                    &model,
                    &name,
                    pool.provider.as_str(),
                    to_json(&pool.attributes)?,
                    tx.now
                ];
                if tx.db.execute(sql, values).await? == 0 {
                    return Err(StoreError::AlreadyExists {
                        kind: Subject::StoragePool,
                        name,
                    });
                }
                tx.touch(&model, namespace::STORAGE_POOL, name.as_str());
                Ok(StoragePoolInfo {
                    name,
                    provider: pool.provider,
                    attributes: pool.attributes,
                    built_in: false,
                    storages: 0,
                })
            })
        })
        .await
    }

    /// Removes a pool of which nothing was made and nothing is to be made.
    pub async fn remove_storage_pool(&self, model: &ModelUuid, name: &str) -> Result<()> {
        let (model, name) = (model.clone(), name.to_owned());
        self.write(move |tx| {
            Box::pin(async move {
                let stock = Stock::of(&mut tx.db, &model).await?;
                stock.pools.find(&name)?;
                let in_use = |why: String| {
                    Err(StoreError::Refused {
                        refusal: Refusal::StoragePoolInUse,
                        message: format!("storage pool \"{name}\" {why}"),
                    })
                };
                if PoolKind::ALL.iter().any(|kind| kind.as_str() == name) {
                    return in_use("is one that every model has".to_owned());
                }
                let sql = "SELECT id FROM storage WHERE model_uuid = $1 AND pool = $2
                    ORDER BY number LIMIT 1";
                let made: Option<String> = tx.db.scalar(sql, params![&model, &name]).await?;
                if let Some(id) = made {
                    return in_use(format!("has the storage {id}"));
                }
                let sql = "SELECT application FROM application_storage
                    WHERE model_uuid = $1 AND pool = $2 ORDER BY application LIMIT 1";
                let wanted: Option<String> = tx.db.scalar(sql, params![&model, &name]).await?;
                if let Some(application) = wanted {
                    return in_use(format!("is where units of {application} get storage from"));
                }
                if stock.default_pool == name {
                    return in_use("is the model's storage-default-filesystem-source".to_owned());
                }
                let sql = "DELETE FROM storage_pool WHERE model_uuid = $1 AND name = $2";
                tx.db.execute(sql, params![&model, &name]).await?;
                tx.touch(&model, namespace::STORAGE_POOL, name.as_str());
                Ok(())
            })
        })
        .await
    }
}
