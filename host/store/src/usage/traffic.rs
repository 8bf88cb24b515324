//! Requests that services answered: what agents tell of them, by the minute and in all.
//!
//! Agents tell counters that only grow. What they grew by since they were told last is added to the minute in which
//! the last of the requests ended, to what its application had in all, and to what the unit used of its quotas; all in
//! the transaction that notes what was told. So it does not matter how often something is told, nor whether an answer was lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use periapt_model::quota::Used;
use periapt_model::workload::traffic::{BOUNDS, Requests};
use periapt_model::{ApplicationName, ModelUuid, Tag, UnitName};
use periapt_wire::agent::workloads::UnitRequests;
use periapt_wire::rest::{Traffic, TrafficMinute, TrafficQuery};

use super::{bounded, meter};
use crate::db::{Buckets, Tx, Which, columns, json, params, to_json, word};
use crate::error::StoreError;
use crate::{Result, Store};

#[cfg(test)]
mod tests;

/// Microseconds.
const MINUTE: i64 = 60_000_000;
/// Minutes of an answer, and at most.
const MINUTES: u64 = 60;
const MOST_MINUTES: u64 = 24 * 60;

columns! {
    struct Told {
        unit: String = "unit",
        service: String = "service",
        begun: u64 = "begun",
        requests: Requests = "requests" as json,
    }
    const TOLD = which("FROM counted WHERE model_uuid = $1", "unit", "");
}

columns! {
    struct There { name: String = "name" }
    const THERE = which("FROM unit WHERE model_uuid = $1", "name", "");
}

columns! {
    struct Minute {
        minute: i64 = "minute",
        requests: u64 = "requests",
        client_errors: u64 = "client_errors",
        server_errors: u64 = "server_errors",
        milliseconds: u64 = "milliseconds",
        buckets: Vec<u64> = "buckets" as json,
    }
    const OF_APPLICATION = "FROM traffic
        WHERE model_uuid = $1 AND application = $2 AND minute > $3";
    const OF_UNIT = "FROM traffic WHERE model_uuid = $1 AND unit = $2 AND minute > $3";
}

columns! {
    struct OfUnit {
        model: ModelUuid = "model_uuid" as word,
        unit: UnitName = "unit" as word,
        requests: Requests = "requests" as json,
    }
    const UNITS = "FROM counted ORDER BY model_uuid, unit, service";
}

columns! {
    struct OfApplication {
        model: ModelUuid = "model_uuid" as word,
        application: ApplicationName = "application" as word,
        requests: Requests = "requests" as json,
    }
    const APPLICATIONS = "FROM traffic_total ORDER BY model_uuid, application";
}

/// A unit with the requests that it was told to have answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedUnit {
    pub model: ModelUuid,
    pub unit: UnitName,
    pub requests: Requests,
}

/// All requests of all models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Served {
    /// Since their counters began.
    pub units: Vec<ServedUnit>,
    /// Ever.
    pub applications: Vec<(ModelUuid, ApplicationName, Requests)>,
}

impl Store {
    /// Adds what counters grew by since they were told last. Those of units that are gone are not wanted.
    pub async fn count_requests(&self, model: &ModelUuid, told: Vec<UnitRequests>) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                count(tx, &model, told).await
            })
        })
        .await
    }

    /// The requests of an application, or of one of its units, by the minute; the last is the one that is not over.
    pub async fn traffic(
        &self,
        model: &ModelUuid,
        application: &ApplicationName,
        query: &TrafficQuery,
    ) -> Result<Traffic> {
        let minutes = query.minutes.unwrap_or(MINUTES);
        if !(1..=MOST_MINUTES).contains(&minutes) {
            return Err(StoreError::bad_request(format!(
                "minutes are 1 to {MOST_MINUTES}, not {minutes}"
            )));
        }
        let mut db = self.snapshot().await?;
        crate::application::require(&mut db, model, application).await?;
        let now = self.now().div_euclid(MINUTE);
        let first = now - i64::try_from(minutes).unwrap_or(i64::MAX) + 1;
        let rows = match &query.unit {
            Some(unit) => {
                crate::unit::require(&mut db, model, unit).await?;
                if unit.application() != *application {
                    return Err(StoreError::bad_request(format!(
                        "{unit} is no unit of {application}"
                    )));
                }
                db.all(OF_UNIT, params![model, unit, first - 1]).await?
            }
            None => {
                db.all(OF_APPLICATION, params![model, application, first - 1])
                    .await?
            }
        };
        let mut by_minute: BTreeMap<i64, Minute> = BTreeMap::new();
        for row in rows {
            match by_minute.get_mut(&row.minute) {
                Some(minute) => minute.add(&row),
                None => {
                    by_minute.insert(row.minute, row);
                }
            }
        }
        let shown = |minute| shown(minute, by_minute.get(&minute));
        Ok(Traffic {
            minutes: (first..=now).map(shown).collect(),
        })
    }

    /// What was counted of all models, for whoever measures the controller.
    pub async fn served(&self) -> Result<Served> {
        let mut db = self.snapshot().await?;
        let mut served = Served::default();
        for row in db.all(UNITS, Vec::new()).await? {
            match served.units.last_mut() {
                Some(last) if last.model == row.model && last.unit == row.unit => {
                    last.requests.add(&row.requests);
                }
                _ => served.units.push(ServedUnit {
                    model: row.model,
                    unit: row.unit,
                    requests: row.requests,
                }),
            }
        }
        let rows = db.all(APPLICATIONS, Vec::new()).await?.into_iter();
        served.applications = rows
            .map(|row| (row.model, row.application, row.requests))
            .collect();
        Ok(served)
    }
}

async fn count(tx: &mut Tx, model: &ModelUuid, told: Vec<UnitRequests>) -> Result<()> {
    let of_unit = |told: UnitRequests| match told.entity {
        Tag::Unit(unit) => Some((unit, told.begun, told.services)),
        _ => None,
    };
    let told: Vec<_> = told.into_iter().filter_map(of_unit).collect();
    let names: Vec<String> = told.iter().map(|(unit, ..)| unit.to_string()).collect();
    let there = tx.db.which(THERE, model, Which::Named(&names)).await?;
    let there: BTreeSet<String> = there.into_iter().map(|row| row.name).collect();
    let before = tx.db.which(TOLD, model, Which::Named(&names)).await?;
    let mut before: BTreeMap<(String, String), (u64, Requests)> = before
        .into_iter()
        .map(|row| ((row.unit, row.service), (row.begun, row.requests)))
        .collect();
    let mut of_applications: BTreeMap<ApplicationName, Requests> = BTreeMap::new();
    let quotas = meter::quotas(&mut tx.db, model).await?;
    for (unit, begun, services) in told {
        if !there.contains(unit.as_str()) {
            continue;
        }
        for (service, requests) in services {
            let known = before.remove(&(unit.to_string(), service.clone()));
            let since = match &known {
                Some((same, earlier)) if *same == begun => requests.since(earlier),
                _ => requests.since(&Requests::default()),
            };
            // Said again, or said late.
            if since.is_empty() {
                continue;
            }
            let sql = "INSERT INTO counted (model_uuid, unit, service, begun, requests)
                VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT (model_uuid, unit, service) DO UPDATE
                SET begun = excluded.begun, requests = excluded.requests";
            let row = params![model, &unit, &service, begun, to_json(&requests)?];
            tx.db.execute(sql, row).await?;
            // Whose clock is ahead has no minutes before everybody else's.
            let last = since.last.saturating_mul(1_000_000).min(tx.now);
            let minute = last.div_euclid(MINUTE);
            add_to_minute(tx, model, &unit, &service, minute, &since).await?;
            let used = Used {
                requests: since.all(),
                cpu: Duration::from_micros(since.cpu_microseconds),
            };
            meter::spend(tx, model, &quotas, &unit, minute, used).await?;
            let total = of_applications.entry(unit.application()).or_default();
            total.add(&since);
        }
    }
    for (application, since) in of_applications {
        add_to_total(tx, model, &application, since).await?;
    }
    Ok(())
}

async fn add_to_minute(
    tx: &mut Tx,
    model: &ModelUuid,
    unit: &UnitName,
    service: &str,
    minute: i64,
    since: &Requests,
) -> Result<()> {
    let sql = "SELECT buckets FROM traffic
        WHERE model_uuid = $1 AND unit = $2 AND service = $3 AND minute = $4";
    let key = params![model, unit, service, minute];
    let known: Option<Vec<u64>> = tx.db.document("buckets", sql, key).await?;
    let mut buckets = known.unwrap_or_default();
    add_buckets(&mut buckets, &since.buckets);
    let sql = "INSERT INTO traffic (model_uuid, application, unit, service, minute, requests,
            client_errors, server_errors, milliseconds, buckets)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (model_uuid, unit, service, minute) DO UPDATE
        SET requests = traffic.requests + excluded.requests,
            client_errors = traffic.client_errors + excluded.client_errors,
            server_errors = traffic.server_errors + excluded.server_errors,
            milliseconds = traffic.milliseconds + excluded.milliseconds,
            buckets = excluded.buckets";
    let row = params![
        model,
        &unit.application(),
        unit,
        service,
        minute,
        bounded(since.all()),
        bounded(since.client_errors),
        bounded(since.server_errors),
        bounded(since.microseconds.div_ceil(1_000)),
        to_json(&buckets)?
    ];
    tx.db.execute(sql, row).await?;
    Ok(())
}

async fn add_to_total(
    tx: &mut Tx,
    model: &ModelUuid,
    application: &ApplicationName,
    since: Requests,
) -> Result<()> {
    let sql = "SELECT requests FROM traffic_total WHERE model_uuid = $1 AND application = $2";
    let key = params![model, application];
    let known: Option<Requests> = tx.db.document("requests", sql, key).await?;
    let mut total = known.unwrap_or_default();
    total.add(&since);
    let sql = "INSERT INTO traffic_total (model_uuid, application, requests) VALUES ($1, $2, $3)
        ON CONFLICT (model_uuid, application) DO UPDATE SET requests = excluded.requests";
    let row = params![model, application, to_json(&total)?];
    tx.db.execute(sql, row).await?;
    Ok(())
}

/// Drops minutes that were over before a time. How many rows.
pub(crate) async fn prune(tx: &mut Tx, model: &ModelUuid, oldest: i64) -> Result<u64> {
    let sql = "DELETE FROM traffic WHERE model_uuid = $1 AND minute < $2";
    let values = params![model, oldest.div_euclid(MINUTE)];
    Ok(tx.db.execute(sql, values).await?)
}

fn add_buckets(buckets: &mut Vec<u64>, more: &[u64]) {
    buckets.resize(BOUNDS.len() + 1, 0);
    for (bucket, more) in buckets.iter_mut().zip(more) {
        *bucket = bucket.saturating_add(*more);
    }
}

impl Minute {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.client_errors += other.client_errors;
        self.server_errors += other.server_errors;
        self.milliseconds += other.milliseconds;
        add_buckets(&mut self.buckets, &other.buckets);
    }
}

fn shown(minute: i64, row: Option<&Minute>) -> TrafficMinute {
    let below = |part| {
        let bounds = BOUNDS.iter().map(|bound| *bound as f64 * 1_000.0);
        let bounds = bounds.chain([f64::INFINITY]);
        let buckets = Buckets {
            buckets: bounds.zip(row?.buckets.iter().copied()).collect(),
            sum: 0.0,
        };
        Some(buckets.quantile(part)? as i64)
    };
    TrafficMinute {
        time: minute * MINUTE,
        requests: row.map_or(0, |row| row.requests),
        client_errors: row.map_or(0, |row| row.client_errors),
        server_errors: row.map_or(0, |row| row.server_errors),
        mean: row.and_then(|row| {
            let sum = row.milliseconds.saturating_mul(1_000);
            i64::try_from(sum.checked_div(row.requests)?).ok()
        }),
        p50: below(0.5),
        p99: below(0.99),
    }
}
