//! Operations: having units run actions and commands, and what became of it.
//!
//! Whoever waits for one does so in one call, which looks again when something became of it.

use std::time::Duration;

use axum::extract::State;
use axum::{Extension, Json};
use periapt_engine::clock;
use periapt_store::{DatabaseError, Interest, StoreError, namespace};
use periapt_wire::rest::{
    ApplicationActions, EnqueueOperation, OperationInfo, OperationQuery, OperationWait, Page,
    TaskInfo, TaskWait, paths,
};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, Ending, InApplication, InModel, InOperation, InTask, Query};
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use super::users::person;
use crate::identity::Identity;
use crate::state::ServerState;

/// The longest that one call waits, seconds.
const LONGEST: u64 = 600;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(actions)),
        row(READ, routes!(list)),
        row(WRITE, routes!(enqueue)).begins_at(paths::OPERATION, &["/id"]),
        row(READ, routes!(show)),
        row(READ, routes!(task)),
        // What runs can be stopped, whatever is disabled.
        row(WRITE, routes!(cancel)).begins().never_blocked(),
    ]
}

/// Lists what units of an application can be asked to run.
#[utoipa::path(get, path = paths::APPLICATION_ACTIONS.text, responses((status = 200, body = ApplicationActions)))]
async fn actions(
    State(state): State<ServerState>,
    InApplication(model, application): InApplication,
) -> Result<Json<ApplicationActions>, Answer> {
    Ok(Json(state.store().actions(&model, &application).await?))
}

/// Lists operations, newest first.
#[utoipa::path(get, path = paths::OPERATIONS.text, params(OperationQuery), responses((status = 200, body = Page<OperationInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<OperationQuery>,
) -> Result<Json<Page<OperationInfo>>, Answer> {
    Ok(Json(state.store().operations(&model, &query).await?))
}

/// Has units run an action of their charm, or a command that it exports.
///
/// Each unit gets a task, all or none. Parameters are held against the action's schema, and defaults are
/// filled in. A task that fails never puts its unit in error.
#[utoipa::path(post, path = paths::OPERATIONS.text, operation_id = "runOperation", request_body = EnqueueOperation, responses((status = 200, body = OperationInfo)))]
async fn enqueue(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(identity): Extension<Identity>,
    Body(request): Body<EnqueueOperation>,
) -> Result<Json<OperationInfo>, Answer> {
    let name = person(identity)?;
    changed(state.store().enqueue_operation(&model, &name, request)).await
}

/// Shows one operation with its tasks, at once or when all have ended.
#[utoipa::path(get, path = paths::OPERATION.text, params(OperationWait), responses((status = 200, body = OperationInfo)))]
async fn show(
    State(state): State<ServerState>,
    InOperation(model, id): InOperation,
    Query(query): Query<OperationWait>,
    ending: Ending,
) -> Result<Json<OperationInfo>, Answer> {
    let look = || state.store().operation(&model, id);
    let over = |operation: &OperationInfo| operation.status.has_ended();
    let interest = Interest::model(&model).key(namespace::OPERATION, id.to_string());
    Ok(Json(
        look_until(&state, interest, query.wait, look, over, ending).await?,
    ))
}

/// Shows one task with what it answered and told, at once or when it has ended or told more.
#[utoipa::path(get, path = paths::TASK.text, params(TaskWait), responses((status = 200, body = TaskInfo)))]
async fn task(
    State(state): State<ServerState>,
    InTask(model, id): InTask,
    Query(query): Query<TaskWait>,
    ending: Ending,
) -> Result<Json<TaskInfo>, Answer> {
    let from = query.lines.unwrap_or_default();
    let look = || state.store().task(&model, id, from);
    let over = |task: &TaskInfo| {
        let told = task.log.as_ref().is_some_and(|log| !log.is_empty());
        task.status.has_ended() || told
    };
    let found = look().await?;
    if over(&found) || query.wait.is_none() {
        return Ok(Json(found));
    }
    let interest = Interest::model(&model).key(namespace::OPERATION, found.operation.to_string());
    Ok(Json(
        look_until(&state, interest, query.wait, look, over, ending).await?,
    ))
}

/// Cancels a task: one that waits is taken back, one that runs is stopped.
#[utoipa::path(post, path = paths::TASK_CANCEL.text, responses((status = 200, body = TaskInfo)))]
async fn cancel(
    State(state): State<ServerState>,
    InTask(model, id): InTask,
) -> Result<Json<TaskInfo>, Answer> {
    changed(state.store().cancel_task(&model, id)).await
}

/// What is there at once, or once it is `over`, or when so many seconds have passed.
pub(super) async fn look_until<T, F>(
    state: &ServerState,
    interest: Interest,
    seconds: Option<u64>,
    look: impl Fn() -> F,
    over: impl Fn(&T) -> bool,
    ending: Ending,
) -> Result<T, Answer>
where
    F: Future<Output = Result<T, StoreError>>,
{
    // Before the first look, so that nothing falls in between.
    let mut changes = state.store().changes().subscribe(interest);
    let found = look().await?;
    let limit = Duration::from_secs(seconds.unwrap_or_default().min(LONGEST));
    if limit.is_zero() || over(&found) {
        return Ok(found);
    }
    let until_it_is = async {
        loop {
            changes.next().await?;
            let found = look().await?;
            if over(&found) {
                return Ok::<T, Answer>(found);
            }
        }
    };
    tokio::select! {
        found = clock::timeout(&**state.clock(), limit, until_it_is) => match found {
            Some(found) => found,
            None => Ok(look().await?),
        },
        () = ending.come() => Err(DatabaseError::Stopped.into()),
    }
}
