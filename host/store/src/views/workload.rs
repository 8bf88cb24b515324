//! Services and checks as shown: of the plans that units have committed, as they were seen last; and what is wrong
//! with a unit beside what its charm says.

use std::collections::HashMap;

use periapt_contract::workload::layer::{Check, Level, OnCheckFailure};
use periapt_contract::workload::{CheckSeen, Committed, Seen, Status};
use periapt_model::status::{Status as Said, Workload};
use periapt_model::workload::desired::Passed;
use periapt_model::workload::plan::Plan;
use periapt_model::workload::{unwell, with_unwell};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{CheckInfo, ServiceInfo, ServicePassed};

use crate::db::{Session, Which, columns, json, optional_json, params, word};
use crate::error::StoreError;
use crate::reach::Reached;
use crate::{Result, Store};

columns! {
    struct Row {
        unit: UnitName = "container.unit" as word,
        name: String = "container.name",
        committed: Committed = "container.committed" as json,
        seen: Option<Seen> = "container.seen" as optional_json,
    }
    const CONTAINERS = "FROM container
        JOIN unit ON unit.model_uuid = container.model_uuid AND unit.name = container.unit
        WHERE container.model_uuid = $1
        ORDER BY unit.application, unit.number, container.name";
}

columns! {
    struct SeenRow {
        unit: String = "unit",
        /// Read of few only.
        committed: String = "committed",
        seen: Seen = "seen" as json,
    }
    const SEEN = which(
        "FROM container WHERE model_uuid = $1 AND seen IS NOT NULL", "unit", "ORDER BY unit, name"
    );
}

/// What is wrong in the containers of units, by unit; of the named those of which something is.
#[derive(Debug, Default)]
pub(crate) struct Unwell(HashMap<String, Vec<String>>);

impl Unwell {
    pub async fn load(db: &mut Session, model: &ModelUuid, which: Which<'_>) -> Result<Self> {
        let mut found = Self::default();
        for row in db.which(SEEN, model, which).await? {
            let down = |check: &CheckSeen| check.status == Status::Down;
            let plan = match row.seen.checks.values().any(down) {
                true => serde_json::from_str::<Committed>(&row.committed)
                    .map_err(|error| StoreError::corrupt("container.committed", error))?
                    .layers
                    .plan(),
                false => Plan::default(),
            };
            let level = |name: &str| plan.checks.get(name).map_or(Level::Unset, Check::level);
            let unwell = unwell(&row.seen, level);
            if !unwell.is_empty() {
                found.0.entry(row.unit).or_default().extend(unwell);
            }
        }
        Ok(found)
    }

    /// What a workload says, with what is wrong: in its containers, and with its ports while it is exposed.
    pub fn follow(
        &self,
        unit: &UnitName,
        mut said: Said<Workload>,
        reached: &Reached,
        exposed: bool,
    ) -> Said<Workload> {
        let inside = self.0.get(unit.as_str()).into_iter().flatten().cloned();
        let unwell: Vec<String> = inside.chain(reached.unwell(exposed)).collect();
        if !unwell.is_empty() {
            said.message = with_unwell(&said.message, &unwell);
        }
        said
    }
}

columns! {
    struct AnyRow {
        model: ModelUuid = "model_uuid" as word,
        unit: UnitName = "unit" as word,
        container: String = "name",
        seen: Seen = "seen" as json,
    }
    const ANY = "FROM container WHERE seen IS NOT NULL ORDER BY model_uuid, unit, name";
}

/// A container of some model, as it was seen last.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenContainer {
    pub model: ModelUuid,
    pub unit: UnitName,
    pub container: String,
    pub seen: Seen,
}

impl Store {
    /// The containers of all models that were seen, for whoever measures the controller.
    pub async fn seen_containers(&self) -> Result<Vec<SeenContainer>> {
        let rows = self.glance().await?.all(ANY, Vec::new()).await?;
        let seen = rows.into_iter().map(|row| SeenContainer {
            model: row.model,
            unit: row.unit,
            container: row.container,
            seen: row.seen,
        });
        Ok(seen.collect())
    }

    /// The services of all units of a model, by unit, container and name.
    pub async fn services(&self, model: &ModelUuid) -> Result<Vec<ServiceInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let rows = load(&mut db, model).await?;
        Ok(rows.iter().flat_map(services).collect())
    }

    /// Their checks.
    pub async fn checks(&self, model: &ModelUuid) -> Result<Vec<CheckInfo>> {
        let mut db = self.snapshot().await?;
        crate::require_model(&mut db, model).await?;
        let rows = load(&mut db, model).await?;
        Ok(rows.iter().flat_map(checks).collect())
    }
}

async fn load(db: &mut Session, model: &ModelUuid) -> Result<Vec<Row>> {
    Ok(db.all(CONTAINERS, params![model]).await?)
}

fn services(row: &Row) -> Vec<ServiceInfo> {
    let plan = row.committed.layers.plan();
    let services = plan.services.into_iter().map(|(name, service)| {
        let seen = row.seen.as_ref();
        let seen = seen.and_then(|seen| seen.services.get(&name)).cloned();
        let seen = seen.unwrap_or_default();
        let restarts =
            |check: &&String| service.on_check_failure(check.as_str()) == OnCheckFailure::Restart;
        ServiceInfo {
            name: format!("{}:{}/{name}", row.unit, row.name),
            application: row.unit.application(),
            unit: row.unit.clone(),
            container: row.name.clone(),
            summary: service.summary.clone().unwrap_or_default(),
            kind: service.kind().as_str().to_owned(),
            startup: service.startup().as_str().to_owned(),
            current: seen.current.as_str().to_owned(),
            since: seen.since,
            restarts: seen.restarts,
            last_end: seen.last_end,
            port: service.port,
            restarted_on: service
                .on_check_failure
                .keys()
                .filter(restarts)
                .cloned()
                .collect(),
            history: seen.history.into_iter().map(passed).collect(),
            service: name,
        }
    });
    services.collect()
}

fn passed(passed: Passed) -> ServicePassed {
    ServicePassed {
        at: passed.at,
        current: passed.current.as_str().to_owned(),
        end: passed.end,
    }
}

fn checks(row: &Row) -> Vec<CheckInfo> {
    let plan = row.committed.layers.plan();
    let checks = plan.checks.iter().map(|(name, check)| {
        let seen = row.seen.as_ref();
        let seen = seen.and_then(|seen| seen.checks.get(name)).cloned();
        let seen = seen.unwrap_or_default();
        let reacting = plan.services.iter();
        let reacting = reacting.filter_map(|(service, of)| match of.on_check_failure(name) {
            OnCheckFailure::Restart => Some(format!("restart {service}")),
            OnCheckFailure::Shutdown | OnCheckFailure::SuccessShutdown => {
                Some(format!("stop {service}"))
            }
            OnCheckFailure::Ignore => None,
        });
        CheckInfo {
            name: format!("{}:{}/{name}", row.unit, row.name),
            application: row.unit.application(),
            unit: row.unit.clone(),
            container: row.name.clone(),
            check: name.clone(),
            level: check.level().as_str().to_owned(),
            status: seen.status.as_str().to_owned(),
            successes: seen.successes,
            failures: seen.failures,
            threshold: check.threshold(),
            message: seen.message,
            on_failure: reacting.collect(),
        }
    });
    checks.collect()
}
