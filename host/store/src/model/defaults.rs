//! Options of models that say nothing else themselves, of all models of a cloud or of one of its regions.
//!
//! Every model of the cloud has them live: one that is there hears of a change as of one of its own options, and
//! what it sets itself goes before. A secret is no default: each model has its own.

use std::collections::BTreeSet;

use periapt_model::config::{Value, Values};
use periapt_model::options::{Kind, MODEL};
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, Refusal};
use periapt_wire::rest::{ChangeModelDefaults, ModelDefault, ModelDefaults};

use crate::changes::namespace;
use crate::cloud::CONTROLLER_CLOUD;
use crate::db::{Session, Tx, columns, json, params, to_json};
use crate::error::StoreError;
use crate::usage::meter;
use crate::{Result, Store, grant, secret, storage};

columns! {
    struct SetDefault {
        region: String = "region",
        key: String = "key",
        value: Value = "value" as json,
    }
    const SET = "FROM model_default WHERE cloud = $1 ORDER BY region, key";
}

impl Store {
    /// Every option with what holds of models of a cloud, the controller's own for none, that do not set it.
    pub async fn model_defaults(&self, cloud: Option<&str>) -> Result<ModelDefaults> {
        let cloud = cloud.unwrap_or(CONTROLLER_CLOUD);
        let mut db = self.snapshot().await?;
        require(&mut db, cloud, "").await?;
        show(&mut db, cloud).await
    }

    /// Sets and resets in one step, all of it or nothing; every option then.
    pub async fn change_model_defaults(
        &self,
        request: ChangeModelDefaults,
    ) -> Result<ModelDefaults> {
        self.write(move |tx| Box::pin(async move { change(tx, &request).await }))
            .await
    }
}

async fn change(tx: &mut Tx, request: &ChangeModelDefaults) -> Result<ModelDefaults> {
    let cloud = request.cloud.as_deref().unwrap_or(CONTROLLER_CLOUD);
    let region = request.region.as_deref().unwrap_or_default();
    require(&mut tx.db, cloud, region).await?;
    let checked = MODEL.check_all(&request.set, &request.reset)?;
    for name in checked.keys() {
        if MODEL.find(name)?.kind == Kind::Secret {
            return Err(StoreError::Refused {
                refusal: Refusal::ModelOptionInvalid,
                message: format!(
                    "model option \"{name}\" is a secret, which each model has by itself"
                ),
            });
        }
    }
    if let Some(backend) = checked.get("secret-backend") {
        secret::require_backend(&mut tx.db, &backend.to_string()).await?;
    }
    let before = tx.db.all(SET, params![cloud]).await?;
    if let Some(pool) = checked.get("storage-default-filesystem-source") {
        storage::require_pool_of_all(&pool.to_string())?;
    }
    let mut changed = 0;
    for (name, value) in &checked {
        let sql = "INSERT INTO model_default (cloud, region, key, value) VALUES ($1, $2, $3, $4)
            ON CONFLICT (cloud, region, key) DO UPDATE SET value = excluded.value
            WHERE model_default.value <> excluded.value";
        let row = params![cloud, region, name, to_json(value)?];
        changed += tx.db.execute(sql, row).await?;
    }
    for name in &request.reset {
        let sql = "DELETE FROM model_default WHERE cloud = $1 AND region = $2 AND key = $3";
        changed += tx.db.execute(sql, params![cloud, region, name]).await?;
    }
    let after = tx.db.all(SET, params![cloud]).await?;
    for region in within(&after, region) {
        MODEL.check_change(&merged(&before, region), &merged(&after, region))?;
    }
    if changed > 0 {
        let named: Vec<&String> = checked.keys().chain(&request.reset).collect();
        told(tx, cloud, region, &named).await?;
    }
    show(&mut tx.db, cloud).await
}

/// Takes an option with this value away wherever it is a default.
pub(crate) async fn forget(tx: &mut Tx, key: &str, value: &str) -> Result<()> {
    let sql = "SELECT DISTINCT cloud FROM model_default WHERE key = $1 AND value = $2";
    let clouds: Vec<String> = tx.db.scalars(sql, params![key, value]).await?;
    let sql = "DELETE FROM model_default WHERE key = $1 AND value = $2";
    tx.db.execute(sql, params![key, value]).await?;
    for cloud in clouds {
        told(tx, &cloud, "", &[]).await?;
    }
    Ok(())
}

/// Tells the models of a cloud, or of a region of it, that these of their options changed.
async fn told(tx: &mut Tx, cloud: &str, region: &str, named: &[&String]) -> Result<()> {
    let quotas = named.iter().any(|name| meter::is_quota(name));
    let policies = named.iter().any(|name| grant::is_policy(name));
    let sql = "SELECT uuid FROM model WHERE cloud = $1 AND ($2 = '' OR region = $2)";
    let models: Vec<ModelUuid> = tx
        .db
        .words("model UUID", sql, params![cloud, region])
        .await?;
    for model in models {
        tx.touch(&model, namespace::MODEL_CONFIG, "");
        if quotas {
            meter::changed(tx, &model).await?;
        }
        if policies {
            grant::policies_changed(tx, &model).await?;
        }
    }
    Ok(())
}

/// That there is such a cloud, and in it such a region if one is named.
async fn require(db: &mut Session, cloud: &str, region: &str) -> Result<()> {
    let sql = "SELECT 1 FROM cloud WHERE name = $1";
    if !db.exists(sql, params![cloud]).await? {
        return Err(StoreError::not_found(Subject::Cloud, cloud));
    }
    let sql = "SELECT 1 FROM cloud_region WHERE cloud = $1 AND name = $2";
    if region.is_empty() || db.exists(sql, params![cloud, region]).await? {
        return Ok(());
    }
    Err(StoreError::not_found(
        Subject::Region,
        format!("{cloud}/{region}"),
    ))
}

/// The regions of which something else may hold after a change: `region`, or all that have defaults of their own
/// and the others if it names none.
fn within<'a>(set: &'a [SetDefault], region: &'a str) -> BTreeSet<&'a str> {
    let all = set.iter().map(|set| set.region.as_str());
    let others = all.filter(|_| region.is_empty());
    others.chain([region]).collect()
}

/// What holds of a region that is set for it or for its cloud.
fn merged(set: &[SetDefault], region: &str) -> Values {
    let here = set
        .iter()
        .filter(|set| set.region.is_empty() || set.region == region);
    // Those of all of the cloud come first.
    here.map(|set| (set.key.clone(), set.value.clone()))
        .collect()
}

async fn show(db: &mut Session, cloud: &str) -> Result<ModelDefaults> {
    let shown = MODEL
        .show(&Values::new())
        .into_iter()
        .map(|(name, option)| {
            let shown = ModelDefault {
                kind: option.kind,
                default: option.default,
                controller: None,
                regions: Default::default(),
                description: option.description,
            };
            (name, shown)
        });
    let mut all: ModelDefaults = shown.collect();
    for set in db.all(SET, params![cloud]).await? {
        let Some(option) = all.get_mut(&set.key) else {
            continue;
        };
        match set.region.as_str() {
            "" => option.controller = Some(set.value),
            _ => {
                option.regions.insert(set.region, set.value);
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
