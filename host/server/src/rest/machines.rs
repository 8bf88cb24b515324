//! Machines: list and look at.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::get;
use periapt_model::MachineId;
use periapt_wire::rest::{ListQuery, MachineInfo, Page};
use serde_json::Value;

use super::Row;
use super::extract::{InMachine, InModel, Query};
use super::page::page;
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models/{model}/machines", get(list)),
        (
            Method::GET,
            "/v1/models/{model}/machines/{machine}",
            get(show),
        ),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(list, show))]
pub(super) struct Described;

/// Lists the machines of a model.
#[utoipa::path(get, path = "/v1/models/{model}/machines", responses((status = 200, body = Page<MachineInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let present = state.presence().is_present(&model);
    let presence = |_: &MachineId| present;
    page(state.store().machines(&model, &presence).await?, &query)
}

/// Shows a machine.
#[utoipa::path(get, path = "/v1/models/{model}/machines/{machine}", responses((status = 200, body = MachineInfo)))]
async fn show(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
) -> Result<Json<MachineInfo>, Answer> {
    let present = state.presence().is_present(&model);
    let presence = |_: &MachineId| present;
    Ok(Json(
        state.store().machine(&model, &machine, &presence).await?,
    ))
}
