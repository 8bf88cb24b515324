//! What charms measured: kept once each, the newest beside it for whoever looks at a whole model.
//!
//! A value is named by its unit, metric, labels and time, so a batch that was sent twice is kept once.
//! An agent may be anybody's: what it tells is held to the contract's rules here again, and how much is
//! kept of a unit has a bound, whatever it sends.

use std::collections::BTreeMap;

use periapt_contract::CallError;
use periapt_contract::metrics::{Kind, check_labels, check_value, is_name};
use periapt_model::bounds::{METRIC_BATCHES, METRIC_ROWS, METRIC_SERIES, METRIC_VALUES};
use periapt_model::charm::metrics::Labels;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::metrics::MetricBatch;

use crate::db::{Tx, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::{Result, Store};

/// How far an agent's clock may be ahead, seconds.
const AHEAD: i64 = 60;
/// A value is stale when so many runs should have followed.
const RUNS: i64 = 3;
/// The longest time between two runs that is believed, seconds.
const LONGEST: u64 = 24 * 60 * 60;
/// Series that are kept of one unit, however many it begins.
const SERIES_OF_UNIT: u64 = 4 * METRIC_VALUES.most;

columns! {
    /// A value that is exposed, with whose it is.
    pub struct ExposedMetric {
        model: String = "model.name",
        unit: UnitName = "metric_latest.unit" as word,
        metric: String = "metric_latest.name",
        labels: Labels = "metric_latest.labels" as json,
        value: f64 = "metric_latest.value" as json,
    }
    const EXPOSED = "FROM metric_latest
        JOIN model ON model.uuid = metric_latest.model_uuid
        WHERE metric_latest.stale_at > $1
        ORDER BY metric_latest.model_uuid, metric_latest.unit, metric_latest.name, metric_latest.labels
        LIMIT $2";
}

columns! {
    struct Owner {
        unit: String = "unit",
    }
    const OWNERS = "FROM metric_latest WHERE model_uuid = $1 GROUP BY unit";
}

impl Store {
    /// Keeps what a unit's charm measured.
    ///
    /// # Errors
    /// `BadRequest` for what no charm could have added.
    pub async fn add_metrics(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        batches: Vec<MetricBatch>,
    ) -> Result<()> {
        check(&batches)?;
        let (model, unit) = (model.clone(), unit.clone());
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND name = $2";
                if tx.db.count(sql, params![&model, &unit]).await? == 0 {
                    return Err(StoreError::not_found(Subject::Unit, unit.as_str()));
                }
                let now = tx.now / 1_000_000;
                let mut rows = Vec::new();
                let mut latest = BTreeMap::new();
                // What a wrong clock puts into the future would stay the newest for as long.
                for batch in batches.iter().filter(|batch| batch.at <= now + AHEAD) {
                    let interval = batch.interval.min(LONGEST) as i64;
                    let stale_at = batch.at + RUNS * interval.max(1);
                    for sample in &batch.samples {
                        let (labels, value) = (to_json(&sample.labels)?, to_json(&sample.value)?);
                        let key = (sample.name.clone(), labels.clone());
                        let newest = (batch.at, stale_at, value.clone());
                        if latest.get(&key).is_none_or(|known| *known < newest) {
                            latest.insert(key, newest);
                        }
                        rows.push(params![&model, &unit, &sample.name, labels, batch.at, value]);
                    }
                }
                let head = "INSERT INTO metric (model_uuid, unit, name, labels, at, value)";
                tx.db.insert_many(head, "ON CONFLICT DO NOTHING", rows).await?;
                let rows = latest.into_iter().map(|((name, labels), (at, stale_at, value))| {
                    params![&model, &unit, name, labels, at, stale_at, value]
                });
                let head =
                    "INSERT INTO metric_latest (model_uuid, unit, name, labels, at, stale_at, value)";
                let tail = "ON CONFLICT (model_uuid, unit, name, labels) DO UPDATE SET
                    at = excluded.at, stale_at = excluded.stale_at, value = excluded.value
                    WHERE metric_latest.at < excluded.at";
                tx.db.insert_many(head, tail, rows.collect()).await?;
                hold(tx, &model, &unit).await
            })
        })
        .await
    }

    /// Drops what is older than `max_age_ms`; how many values went.
    pub async fn prune_metrics(&self, model: &ModelUuid, max_age_ms: u64) -> Result<u64> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                let age = i64::try_from(max_age_ms / 1_000).unwrap_or(i64::MAX);
                let oldest = (tx.now / 1_000_000).saturating_sub(age);
                let mut gone = 0;
                for owner in tx.db.all(OWNERS, params![&model]).await? {
                    let sql = "DELETE FROM metric WHERE model_uuid = $1 AND unit = $2 AND at < $3";
                    let params = params![&model, owner.unit, oldest];
                    gone += tx.db.execute(sql, params).await?;
                }
                let sql = "DELETE FROM metric_latest WHERE model_uuid = $1 AND at < $2";
                tx.db.execute(sql, params![&model, oldest]).await?;
                Ok(gone)
            })
        })
        .await
    }

    /// The newest values of all models that are not stale, `now` being seconds since the epoch.
    pub async fn exposed_metrics(&self, now: i64) -> Result<Vec<ExposedMetric>> {
        let mut db = self.snapshot().await?;
        Ok(db.all(EXPOSED, params![now, METRIC_SERIES.most]).await?)
    }
}

/// Holds what is kept of a unit to its bounds.
async fn hold(tx: &mut Tx, model: &ModelUuid, unit: &UnitName) -> Result<()> {
    let sql = "DELETE FROM metric WHERE model_uuid = $1 AND unit = $2 AND at <= (
        SELECT at FROM metric WHERE model_uuid = $1 AND unit = $2
        ORDER BY at DESC LIMIT 1 OFFSET $3)";
    let params = params![model, unit, METRIC_ROWS.most];
    tx.db.execute(sql, params).await?;
    let sql = "DELETE FROM metric_latest WHERE model_uuid = $1 AND unit = $2 AND at <= (
        SELECT at FROM metric_latest WHERE model_uuid = $1 AND unit = $2
        ORDER BY at DESC LIMIT 1 OFFSET $3)";
    let params = params![model, unit, SERIES_OF_UNIT];
    tx.db.execute(sql, params).await?;
    Ok(())
}

fn check(batches: &[MetricBatch]) -> Result<()> {
    if METRIC_BATCHES.exceeded_by(batches.len()) {
        let most = METRIC_BATCHES.most;
        return Err(StoreError::bad_request(format!(
            "at most {most} batches at once"
        )));
    }
    let refuse = |error: CallError| StoreError::bad_request(error.to_string());
    for batch in batches {
        if METRIC_VALUES.exceeded_by(batch.samples.len()) {
            let most = METRIC_VALUES.most;
            return Err(StoreError::bad_request(format!(
                "at most {most} values in a batch"
            )));
        }
        for sample in &batch.samples {
            if !is_name(&sample.name) {
                return Err(StoreError::bad_request(
                    "a metric has letters, digits and dashes",
                ));
            }
            // Whether one of type absolute is negative, the agent judged by the charm it ran.
            check_value(&sample.name, Kind::Gauge, sample.value).map_err(refuse)?;
            check_labels(&sample.labels).map_err(refuse)?;
        }
    }
    Ok(())
}
