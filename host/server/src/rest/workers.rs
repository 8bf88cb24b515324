//! Which workers run, here and in the agents that are connected here. Another process of the controller answers for
//! itself: its engines and its agents' are not asked for from here.

use axum::Json;
use axum::extract::State;
use futures::future::join_all;
use periapt_model::ModelUuid;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ListQuery, Page, WorkerRow, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::reports::merge;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(all)).lists::<WorkerRow>(),
        row(READ, routes!(of_model)).lists::<WorkerRow>(),
    ]
}

/// Lists the workers of the catalogue in the process that answers and in the agents connected to it.
#[utoipa::path(get, path = paths::WORKERS.text, params(ListQuery), responses((status = 200, body = Page<WorkerRow>)))]
async fn all(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let models = state.store().models().await?;
    let controller = state.reports().controller().await;
    // All agents are asked at once: the bound is one, however many models there are.
    let models = join_all(models.iter().map(|model| rows(&state, &model.uuid))).await;
    page(
        merge(controller.into_iter().chain(models.into_iter().flatten())),
        &query,
    )
}

/// Lists the workers of the catalogue in one model and its agents, as far as they are connected to
/// the process that answers.
#[utoipa::path(get, path = paths::MODEL_WORKERS.text, operation_id = "listModelWorkers", params(ListQuery), responses((status = 200, body = Page<WorkerRow>)))]
async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(merge(rows(&state, &model).await), &query)
}

async fn rows(state: &ServerState, model: &ModelUuid) -> Vec<WorkerRow> {
    let (mut rows, agents) = futures::join!(
        state.reports().model(model),
        state.questions().workers(model)
    );
    rows.extend(agents);
    rows
}
