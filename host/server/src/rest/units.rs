//! Units: look at, remove, resolve.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{delete, get, post};
use periapt_model::MachineId;
use periapt_wire::rest::{Removal, ResolveRequest, UnitInfo};
use periapt_wire::rpc::Empty;

use super::Row;
use super::extract::{Body, Force, InUnit, Query};
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
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

async fn show(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
) -> Result<Json<UnitInfo>, Answer> {
    let present = state.presence().is_present(&model);
    Ok(Json(
        state
            .store()
            .unit(&model, &unit, &|_: &MachineId| present)
            .await?,
    ))
}

async fn remove(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(Force { force }): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    Ok(Json(state.store().remove_unit(&model, &unit, force).await?))
}

async fn resolve(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<ResolveRequest>,
) -> Result<Json<Empty>, Answer> {
    state.store().resolved(&model, &unit, request.retry).await?;
    Ok(Json(Empty {}))
}
