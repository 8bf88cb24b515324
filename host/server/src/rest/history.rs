//! Status history of a unit, an application or a machine, newest first.

use axum::Json;
use axum::extract::State;
use periapt_model::{ModelUuid, Tag};
use periapt_wire::rest::{HistoryEntry, Page, PageQuery, paths};
use utoipa_axum::routes;

use super::extract::{InApplication, InMachine, InUnit, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(of_unit)),
        row(READ, routes!(of_application)),
        row(READ, routes!(of_machine)),
    ]
}

type History = Result<Json<Page<HistoryEntry>>, Answer>;

/// Shows what statuses a unit had, newest first.
#[utoipa::path(get, path = paths::UNIT_HISTORY.text, params(PageQuery), responses((status = 200, body = Page<HistoryEntry>)))]
async fn of_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(query): Query<PageQuery>,
) -> History {
    history(&state, &model, Tag::Unit(unit), query).await
}

/// Shows what statuses an application had, newest first.
#[utoipa::path(get, path = paths::APPLICATION_HISTORY.text, params(PageQuery), responses((status = 200, body = Page<HistoryEntry>)))]
async fn of_application(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Query(query): Query<PageQuery>,
) -> History {
    history(&state, &model, Tag::Application(name), query).await
}

/// Shows what statuses a machine had, newest first.
#[utoipa::path(get, path = paths::MACHINE_HISTORY.text, params(PageQuery), responses((status = 200, body = Page<HistoryEntry>)))]
async fn of_machine(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
    Query(query): Query<PageQuery>,
) -> History {
    history(&state, &model, Tag::Machine(machine), query).await
}

async fn history(state: &ServerState, model: &ModelUuid, entity: Tag, query: PageQuery) -> History {
    Ok(Json(state.store().history(model, &entity, &query).await?))
}
