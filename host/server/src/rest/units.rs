//! Units: list, look at, remove, resolve.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{delete, get, post};
use periapt_model::AgentName;
use periapt_wire::rest::{ListQuery, Page, Removal, ResolveRequest, UnitInfo};
use periapt_wire::rpc::Empty;
use serde_json::Value;

use super::Row;
use super::extract::{Body, Force, InModel, InUnit, Query};
use super::page::page;
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models/{model}/units", get(list)),
        (
            Method::GET,
            "/v1/models/{model}/units/{name}/{number}",
            get(show),
        ),
        (
            Method::DELETE,
            "/v1/models/{model}/units/{name}/{number}",
            delete(remove),
        ),
        (
            Method::POST,
            "/v1/models/{model}/units/{name}/{number}/resolved",
            post(resolve),
        ),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(list, show, remove, resolve))]
pub(super) struct Described;

/// Lists the units of a model.
#[utoipa::path(get, path = "/v1/models/{model}/units", params(ListQuery), responses((status = 200, body = Page<UnitInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    page(state.store().units(&model, &presence).await?, &query)
}

/// Shows a unit with its relations and their settings.
#[utoipa::path(get, path = "/v1/models/{model}/units/{name}/{number}", responses((status = 200, body = UnitInfo)))]
async fn show(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
) -> Result<Json<UnitInfo>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let shown = state.store().unit(&model, &unit, &presence).await?;
    Ok(Json(UnitInfo {
        relations: state.store().unit_relations(&model, &unit).await?,
        ..shown
    }))
}

/// Begins to remove a unit.
#[utoipa::path(delete, path = "/v1/models/{model}/units/{name}/{number}", params(Force), responses((status = 200, body = Removal)))]
async fn remove(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(force): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    Ok(Json(
        state
            .store()
            .remove_unit(&model, &unit, force.removal())
            .await?,
    ))
}

/// Marks the failed hook of a unit as dealt with.
///
/// With `retry` the hook runs again, else the unit goes on as if it had succeeded.
#[utoipa::path(post, path = "/v1/models/{model}/units/{name}/{number}/resolved", request_body = ResolveRequest, responses((status = 200, body = Empty)))]
async fn resolve(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<ResolveRequest>,
) -> Result<Json<Empty>, Answer> {
    state.store().resolved(&model, &unit, request.retry).await?;
    Ok(Json(Empty {}))
}
