//! Metrics of units as shown: the newest of each, and what they were.

use periapt_model::charm::metrics::Labels;
use periapt_model::refusal::Subject;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{MetricHistory, MetricInfo, MetricValue};

use crate::db::{columns, json, params, word};
use crate::error::StoreError;
use crate::{Result, Store};

columns! {
    struct Latest {
        unit: UnitName = "metric_latest.unit" as word,
        metric: String = "metric_latest.name",
        labels: Labels = "metric_latest.labels" as json,
        timestamp: i64 = "metric_latest.at",
        value: f64 = "metric_latest.value" as json,
    }
    const LATEST = "FROM metric_latest
        JOIN unit ON unit.model_uuid = metric_latest.model_uuid AND unit.name = metric_latest.unit
        WHERE metric_latest.model_uuid = $1
        ORDER BY unit.application, unit.number";
}

columns! {
    struct Past {
        metric: String = "name",
        labels: Labels = "labels" as json,
        timestamp: i64 = "at",
        value: f64 = "value" as json,
    }
    const PAST = "FROM metric WHERE model_uuid = $1 AND unit = $2 ORDER BY at";
}

impl Store {
    /// The newest value of each metric of all units of a model, by unit, name and labels.
    pub async fn metrics(&self, model: &ModelUuid) -> Result<Vec<MetricInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let mut rows = db.all(LATEST, params![model]).await?;
        // Databases do not agree on the order of texts.
        for rows in rows.chunk_by_mut(|one, next| one.unit == next.unit) {
            rows.sort_by(|one, other| {
                (&one.metric, &one.labels).cmp(&(&other.metric, &other.labels))
            });
        }
        Ok(rows.into_iter().map(Latest::shown).collect())
    }

    /// The last `limit` values of each metric of a unit, oldest first.
    pub async fn metric_history(
        &self,
        model: &ModelUuid,
        unit: &UnitName,
        limit: u64,
    ) -> Result<Vec<MetricHistory>> {
        let mut db = self.snapshot().await?;
        let sql = "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND name = $2";
        if db.count(sql, params![model, unit]).await? == 0 {
            return Err(StoreError::not_found(Subject::Unit, unit.as_str()));
        }
        let mut rows = db.all(PAST, params![model, unit]).await?;
        rows.sort_by(|one, other| (&one.metric, &one.labels).cmp(&(&other.metric, &other.labels)));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(together(rows, limit))
    }
}

impl Latest {
    fn shown(self) -> MetricInfo {
        let labels = self.labels.iter();
        let labels: Vec<String> = labels
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        MetricInfo {
            name: format!("{}:{}{labels}", self.unit, self.metric),
            application: self.unit.application(),
            unit: self.unit,
            metric: self.metric,
            labels: self.labels,
            timestamp: self.timestamp,
            value: self.value,
        }
    }
}

fn together(rows: Vec<Past>, limit: usize) -> Vec<MetricHistory> {
    let mut found: Vec<MetricHistory> = Vec::new();
    for row in rows {
        let value = MetricValue {
            timestamp: row.timestamp,
            value: row.value,
        };
        match found.last_mut() {
            Some(last) if last.metric == row.metric && last.labels == row.labels => {
                last.values.push(value);
            }
            _ => found.push(MetricHistory {
                metric: row.metric,
                labels: row.labels,
                values: vec![value],
            }),
        }
    }
    for history in &mut found {
        let more = history.values.len().saturating_sub(limit);
        history.values.drain(..more);
    }
    found
}
