//! Agents: stop and start one of a unit, start one of a model that ended for good.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::paths;
use periapt_wire::rpc::Empty;
use utoipa_axum::routes;

use super::changed::done;
use super::extract::{InModel, InUnit};
use super::problem::Answer;
use super::route::{ADMIN, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(ADMIN, routes!(stop_unit)),
        row(ADMIN, routes!(start_unit)),
        row(ADMIN, routes!(start_agent)),
    ]
}

/// Stops the agent of a unit.
///
/// It stays stopped, also when its machine's agent or the controller starts anew, until it is
/// started. A hook that runs gets a moment to end and is otherwise run again then.
#[utoipa::path(post, path = paths::UNIT_STOP.text, responses((status = 200, body = Empty)))]
async fn stop_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
) -> Result<Json<Empty>, Answer> {
    done(state.store().stop_unit(&model, &unit)).await
}

/// Starts the agent of a unit that was stopped.
#[utoipa::path(post, path = paths::UNIT_START.text, responses((status = 200, body = Empty)))]
async fn start_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
) -> Result<Json<Empty>, Answer> {
    done(state.store().start_unit(&model, &unit)).await
}

/// Starts the agent of a model that ended for good.
///
/// One that was ended by SIGABRT is not started again until somebody says so.
#[utoipa::path(post, path = paths::MODEL_AGENT_START.text, operation_id = "startModelAgent", responses((status = 200, body = Empty)))]
async fn start_agent(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Empty>, Answer> {
    done(state.store().start_agent(&model)).await
}
