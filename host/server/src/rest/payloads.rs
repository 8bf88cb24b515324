//! Payloads: what charms say that they run by themselves.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::{Page, PayloadQuery, UnitPayloads, paths};
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(list))]
}

/// Lists the payloads that charms registered, by unit, or those of one unit.
#[utoipa::path(get, path = paths::PAYLOADS.text, params(PayloadQuery), responses((status = 200, body = Page<UnitPayloads>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<PayloadQuery>,
) -> Result<Json<Page<UnitPayloads>>, Answer> {
    Ok(Json(state.store().payloads(&model, &query).await?))
}
