//! Services and checks in the containers of units, and the requests that they answered.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::{CheckInfo, ListQuery, Page, ServiceInfo, Traffic, TrafficQuery, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::{InApplication, InModel, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(services)).lists::<ServiceInfo>(),
        row(READ, routes!(checks)).lists::<CheckInfo>(),
        row(READ, routes!(traffic)),
    ]
}

/// Lists the services that units have planned, as they were seen last.
///
/// A name is `UNIT:CONTAINER/SERVICE`.
#[utoipa::path(get, path = paths::SERVICES.text, params(ListQuery), responses((status = 200, body = Page<ServiceInfo>)))]
async fn services(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().services(&model).await?, &query)
}

/// Lists the checks that units have planned, as they were seen last.
///
/// A name is `UNIT:CONTAINER/CHECK`.
#[utoipa::path(get, path = paths::CHECKS.text, params(ListQuery), responses((status = 200, body = Page<CheckInfo>)))]
async fn checks(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().checks(&model).await?, &query)
}

/// Counts the requests that an application answered, by the minute.
///
/// What was answered is counted within twenty seconds, in the minute in which it was.
#[utoipa::path(get, path = paths::APPLICATION_TRAFFIC.text, params(TrafficQuery), responses((status = 200, body = Traffic)))]
async fn traffic(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Query(query): Query<TrafficQuery>,
) -> Result<Json<Traffic>, Answer> {
    Ok(Json(state.store().traffic(&model, &name, &query).await?))
}
