//! Status history of a unit, an application or a machine, oldest first.

use axum::Json;
use axum::extract::State;
use periapt_model::{ModelUuid, Tag};
use periapt_wire::rest::{HistoryEntry, paths};
use utoipa_axum::routes;

use super::extract::{InApplication, InMachine, InUnit, Limit, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

/// Lines without `?limit`, as `show-status-log` shows.
const DEFAULT_LIMIT: u64 = 20;
const MOST: u64 = 10_000;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(of_unit)),
        row(READ, routes!(of_application)),
        row(READ, routes!(of_machine)),
    ]
}

type History = Result<Json<Vec<HistoryEntry>>, Answer>;

/// Shows what statuses a unit had, oldest first.
#[utoipa::path(get, path = paths::UNIT_HISTORY.text, params(Limit), responses((status = 200, body = Vec<HistoryEntry>)))]
async fn of_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(limit): Query<Limit>,
) -> History {
    history(&state, &model, Tag::Unit(unit), limit).await
}

/// Shows what statuses an application had, oldest first.
#[utoipa::path(get, path = paths::APPLICATION_HISTORY.text, params(Limit), responses((status = 200, body = Vec<HistoryEntry>)))]
async fn of_application(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Query(limit): Query<Limit>,
) -> History {
    history(&state, &model, Tag::Application(name), limit).await
}

/// Shows what statuses a machine had, oldest first.
#[utoipa::path(get, path = paths::MACHINE_HISTORY.text, params(Limit), responses((status = 200, body = Vec<HistoryEntry>)))]
async fn of_machine(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
    Query(limit): Query<Limit>,
) -> History {
    history(&state, &model, Tag::Machine(machine), limit).await
}

async fn history(state: &ServerState, model: &ModelUuid, entity: Tag, limit: Limit) -> History {
    let limit = limit.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
    Ok(Json(state.store().history(model, &entity, limit).await?))
}
