//! A look into the controller and its agents, the same over the API and over the local socket.
//!
//! What runs in this process is asked here; an agent's process answers over its own connection
//! to the controller, since it opens no socket. It only reads, and an agent that does not
//! answer in time is missing from the answer.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::join_all;
use periapt_engine::EngineReport;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::{Store, StoreError, lease};
use periapt_wire::rest::{
    AgentIntrospection, EngineMap, HookPart, LeaseReport, MachineLockReport, PresenceReport,
    UnitWorker,
};
use serde_json::Value;

use crate::observation::Observation;
use crate::presence::{Agent, Presence};
use crate::reports::Reports;

mod engines;
#[cfg(test)]
mod tests;

/// Reports by name, as in the last part of the address.
pub const REPORTS: &[&str] = &[
    "depengine",
    "hooktimes",
    "leases",
    "machinelock",
    "metrics",
    "presence",
    "units",
];

/// Whom to look into.
#[derive(Clone, Debug)]
pub enum Scope {
    Controller,
    Model(ModelUuid),
}

/// A report.
pub enum Report {
    Json(Value),
    /// Of `metrics`.
    Text(String),
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum IntrospectionError {
    #[error("there is no report \"{0}\"; there are {list}", list = REPORTS.join(", "))]
    Unknown(String),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the report cannot be written: {0}")]
    Write(#[from] serde_json::Error),
}

impl IntrospectionError {
    /// What the caller is told of it beside the reason.
    pub fn refusal(&self) -> Refusal {
        match self {
            IntrospectionError::Unknown(_) => Refusal::ReportNotFound,
            IntrospectionError::Store(error) => error.refusal(),
            IntrospectionError::Write(_) => Refusal::InternalError,
        }
    }
}

/// Everything that can be looked into. Clones look into the same.
#[derive(Clone)]
pub struct Introspection {
    pub observation: Observation,
    pub store: Store,
    pub leases: lease::Manager,
    pub presence: Presence,
    pub reports: Arc<dyn Reports>,
}

impl Introspection {
    /// The report of a name.
    ///
    /// # Errors
    /// A name that is none, and what keeps the store from answering.
    pub async fn report(&self, name: &str, scope: &Scope) -> Result<Report, IntrospectionError> {
        let json = match name {
            "depengine" => serde_json::to_value(self.engines(scope).await),
            "hooktimes" => serde_json::to_value(self.hook_times(scope).await?),
            "machinelock" => serde_json::to_value(self.machine_locks(scope).await?),
            "units" => serde_json::to_value(self.units(scope).await?),
            "leases" => serde_json::to_value(self.held_leases(scope).await?),
            "presence" => serde_json::to_value(self.agents_present(scope).await?),
            "metrics" => {
                let text = self.observation.metrics.expose(self).await;
                return Ok(Report::Text(text));
            }
            other => return Err(IntrospectionError::Unknown(other.to_owned())),
        };
        Ok(Report::Json(json?))
    }

    /// The controller: its engine and those of all models. A model: its engine, and the agent's
    /// with those of machines and units.
    async fn engines(&self, scope: &Scope) -> EngineMap {
        let (controller, models) = self.own_engines().await;
        let mut map = EngineMap::default();
        match scope {
            Scope::Controller => {
                if let Some(report) = controller {
                    map.engines.extend(engines::controller(report));
                }
                for (model, report) in models {
                    map.engines.push(engines::model(&model, report, true));
                }
            }
            Scope::Model(model) => {
                let report = models.into_iter().find(|(uuid, _)| uuid == model);
                if let Some((_, report)) = report {
                    map.engines.push(engines::model(model, report, false));
                }
                for agent in self.observation.questions.processes(model).await {
                    map.left_out += agent.left_out;
                    map.engines.extend(engines::agent(model, agent.engine));
                }
            }
        }
        map
    }

    /// Engines of this process. Asking a worker may block, so a thread does it.
    pub(crate) async fn own_engines(
        &self,
    ) -> (Option<EngineReport>, BTreeMap<ModelUuid, EngineReport>) {
        let reports = Arc::clone(&self.reports);
        let asked = tokio::task::spawn_blocking(move || {
            (reports.controller_engine(), reports.model_engines())
        });
        // A report that panics is as good as none.
        asked.await.unwrap_or_default()
    }

    async fn hook_times(&self, scope: &Scope) -> Result<Vec<HookPart>, StoreError> {
        let mut times = Vec::new();
        for (model, agent) in self.ask(scope).await? {
            times.extend(agent.hook_times.into_iter().map(|part| HookPart {
                model: model.to_string(),
                ..part
            }));
        }
        Ok(times)
    }

    async fn machine_locks(&self, scope: &Scope) -> Result<Vec<MachineLockReport>, StoreError> {
        let mut locks = Vec::new();
        for (model, agent) in self.ask(scope).await? {
            locks.extend(
                agent
                    .machine_locks
                    .into_iter()
                    .map(|lock| MachineLockReport {
                        model: model.to_string(),
                        ..lock
                    }),
            );
        }
        Ok(locks)
    }

    async fn units(&self, scope: &Scope) -> Result<Vec<UnitWorker>, StoreError> {
        let mut units = Vec::new();
        for (model, agent) in self.ask(scope).await? {
            units.extend(engines::units(&model, agent.engine));
        }
        units.sort_by(|one, other| (&one.model, &one.unit).cmp(&(&other.model, &other.unit)));
        Ok(units)
    }

    async fn held_leases(&self, scope: &Scope) -> Result<Vec<LeaseReport>, StoreError> {
        let wanted = |model: &ModelUuid| match scope {
            Scope::Controller => true,
            Scope::Model(uuid) => uuid == model,
        };
        let leases = self.leases.leases_and_pins().await?.into_iter();
        Ok(leases
            .filter(|(lease, _)| wanted(&lease.model))
            .map(|(lease, pinned_by)| LeaseReport {
                namespace: lease.namespace.to_string(),
                model: lease.model,
                name: lease.name,
                holder: lease.holder,
                started_at: lease.started_at,
                expires_at: lease.expires_at,
                pinned_by,
            })
            .collect())
    }

    async fn agents_present(&self, scope: &Scope) -> Result<Vec<PresenceReport>, StoreError> {
        let mut agents = self.store.agents().await?;
        agents.retain(|(model, _)| match scope {
            Scope::Controller => true,
            Scope::Model(wanted) => wanted == model,
        });
        agents.sort();
        let report = |who: Agent| {
            let here = self.presence.here(&who);
            let state = match here {
                Some(_) => "connected",
                None if self.presence.is_elsewhere(&who) => "connected elsewhere",
                None if self.presence.is_present(&who) => "expected",
                None => "lost",
            };
            let (model, agent) = who;
            PresenceReport {
                connections: here.map_or(0, |here| here.connections as u64),
                since: here.map(|here| here.since),
                state: state.to_owned(),
                model,
                agent,
            }
        };
        Ok(agents.into_iter().map(report).collect())
    }

    /// Asks the agents, all at once: the bound is one, however many models there are.
    async fn ask(&self, scope: &Scope) -> Result<Vec<(ModelUuid, AgentIntrospection)>, StoreError> {
        let asked = self
            .models(scope)
            .await?
            .into_iter()
            .map(|model| async move {
                let answers = self.observation.questions.processes(&model).await;
                answers
                    .into_iter()
                    .map(move |answer| (model.clone(), answer))
            });
        Ok(join_all(asked).await.into_iter().flatten().collect())
    }

    async fn models(&self, scope: &Scope) -> Result<Vec<ModelUuid>, StoreError> {
        match scope {
            Scope::Model(model) => Ok(vec![model.clone()]),
            Scope::Controller => {
                let models = self.store.models().await?;
                Ok(models.into_iter().map(|model| model.uuid).collect())
            }
        }
    }
}
