//! `GET /v1/models/{model}/wait`: one call that answers when something holds.
//!
//! It looks at the status, which everybody who waits for the same model shares, and looks again
//! when a commit changed the model. It never polls. While a large model changes all the time it rests
//! between two looks, so that waiting for a model to settle does not keep it from settling.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use futures::FutureExt;
use periapt_engine::clock;
use periapt_model::query::{Query as Condition, QueryError};
use periapt_model::refusal::Subject;
use periapt_model::storage::StorageId;
use periapt_model::task::TaskId;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::{Change, DatabaseError, Interest, StoreError, namespace};
use periapt_wire::Problem;
use periapt_wire::rest::waiting::{glance, operation_entity, storage_entity, task_entity};
use periapt_wire::rest::{WaitKind, WaitQuery, Waited, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::{Ending, InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

/// Seconds when the query does not say, and at most.
const TIMEOUT: u64 = 60;
const LONGEST: u64 = 600;

/// How many times as long as it looked it rests at least.
const REST: u32 = 4;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(wait))]
}

/// Waits until something of a model is as a query says.
#[utoipa::path(get, path = paths::MODEL_WAIT.text, operation_id = "waitFor", params(WaitQuery), responses((status = 200, body = Waited)))]
async fn wait(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<WaitQuery>,
    ending: Ending,
) -> Result<Json<Waited>, Answer> {
    let kind: WaitKind = query.kind.parse().map_err(|why: String| {
        Answer(
            Problem::new(Refusal::QueryInvalid)
                .titled("The request's query cannot be read")
                .why(why),
        )
    })?;
    let text = match query.query.trim() {
        "" => kind.default_query(),
        text => text,
    };
    let waiting = Waiting {
        about: about(kind, &query.name)?,
        condition: Condition::parse(text).map_err(|error| unreadable(text, &error))?,
        text,
        kind,
        name: &query.name,
    };
    let limit = Duration::from_secs(query.timeout.unwrap_or(TIMEOUT).clamp(1, LONGEST));
    let began = state.clock().monotonic();
    let mut last = "it has not been seen yet".to_owned();
    let holds = waiting.until_it_holds(&state, &model, &mut last);
    let entity = tokio::select! {
        entity = clock::timeout(&**state.clock(), limit, holds) => entity,
        () = ending.come() => return Err(DatabaseError::Stopped.into()),
    };
    match entity {
        Some(entity) => {
            let waited = state.clock().monotonic().saturating_sub(began);
            Ok(Json(Waited {
                entity: entity?,
                waited: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            }))
        }
        None => Err(waiting.in_vain(limit, &last)),
    }
}

struct Waiting<'a> {
    condition: Condition,
    text: &'a str,
    kind: WaitKind,
    name: &'a str,
    about: About,
}

/// Where the entity is read.
enum About {
    Operation(TaskId),
    Task(TaskId),
    Storage(StorageId),
    /// In the model's status.
    Status,
}

impl Waiting<'_> {
    /// The entity for which the condition holds; null when it is gone and was to be.
    async fn until_it_holds(
        &self,
        state: &ServerState,
        model: &ModelUuid,
        last: &mut String,
    ) -> Result<Value, Answer> {
        // Before the first look, so that nothing falls in between.
        let mut changes = state
            .store()
            .changes()
            .subscribe(Interest::model(model).everything());
        let to_be_gone = self.condition.asks_for_death();
        let clock = state.clock();
        loop {
            let looks = clock.monotonic();
            let found = match self.find(state, model).await {
                Err(StoreError::NotFound { .. }) if to_be_gone => return Ok(Value::Null),
                found => found?,
            };
            match found {
                Some(entity) => {
                    let holds = self.condition.holds(&entity);
                    if holds.map_err(|error| unreadable(self.text, &error))? {
                        return Ok(entity);
                    }
                    *last = glance(self.kind, &entity);
                }
                None if to_be_gone => return Ok(Value::Null),
                None => *last = format!("there is no such {} yet", self.kind.as_str()),
            }
            let looked = clock.monotonic();
            let rest = looked.saturating_sub(looks).saturating_mul(REST);
            while !shows(&changes.next().await?) {}
            let rested = clock.monotonic().saturating_sub(looked);
            if let Some(rest) = rest.checked_sub(rested) {
                clock.sleep(rest).await;
                // The next look is at these as well.
                changes.next().now_or_never().transpose()?;
            }
        }
    }

    /// The entity as it is now. A model that is gone is an error, and so is one that cannot be looked at.
    async fn find(
        &self,
        state: &ServerState,
        model: &ModelUuid,
    ) -> Result<Option<Value>, StoreError> {
        let store = state.store();
        let found = match &self.about {
            About::Operation(id) => {
                let found = store.operation(model, *id).await;
                found.map(|operation| operation_entity(&operation))
            }
            About::Task(id) => {
                // Without what it tells of its progress.
                let found = store.task(model, *id, u64::MAX >> 1).await;
                found.map(|task| task_entity(&task))
            }
            About::Storage(id) => {
                let found = store.storage(model, id).await;
                found.map(|storage| storage_entity(&storage))
            }
            About::Status => {
                let status = state.cache().statuses().of(model).await?;
                return Ok(self.kind.find(self.name, status.value()?));
            }
        };
        match found {
            // It may come. A storage is looked for in a model that is there.
            Err(error) if error.refusal() == Refusal::NotFound(Subject::Storage) => Ok(None),
            // So may these, unless their model is gone as well.
            Err(StoreError::NotFound { .. }) => {
                store.model_summary(model).await?;
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    fn in_vain(&self, limit: Duration, last: &str) -> Answer {
        let kind = self.kind.as_str();
        let title = match self.name {
            "" => format!("Timed out waiting for the {kind}: {}", self.text),
            name => format!("Timed out waiting for the {kind} \"{name}\": {}", self.text),
        };
        Answer(
            Problem::new(Refusal::WaitTimedOut)
                .titled(title)
                .why(format!("{} s have passed; {last}", limit.as_secs())),
        )
    }
}

/// Whether a status may show any of the changes.
fn shows(changes: &[Change]) -> bool {
    let log = |change: &Change| change.namespace == namespace::LOG;
    !changes.iter().all(log)
}

/// Where an entity of this kind and name is read.
fn about(kind: WaitKind, name: &str) -> Result<About, Answer> {
    match kind {
        WaitKind::Operation => numbered(kind, name).map(About::Operation),
        WaitKind::Task => numbered(kind, name).map(About::Task),
        WaitKind::Storage => match name.parse() {
            Ok(id) => Ok(About::Storage(id)),
            Err(_) => Err(misnamed(format!(
                "\"{name}\" is not a storage id, as in data/0"
            ))),
        },
        WaitKind::Application
        | WaitKind::Unit
        | WaitKind::Machine
        | WaitKind::Model
        | WaitKind::Relation => Ok(About::Status),
    }
}

/// The number by which an operation or a task is named.
fn numbered(kind: WaitKind, name: &str) -> Result<TaskId, Answer> {
    name.parse().map_err(|_| {
        misnamed(format!(
            "the {} \"{name}\" is not named by its number",
            kind.as_str()
        ))
    })
}

fn misnamed(why: String) -> Answer {
    Answer(
        Problem::new(Refusal::QueryInvalid)
            .titled("The request's query cannot be read")
            .why(why),
    )
}

fn unreadable(text: &str, error: &QueryError) -> Answer {
    Answer(
        Problem::new(Refusal::WaitQueryInvalid)
            .titled("The query cannot be used")
            .why(format!("{text}: {error}")),
    )
}
