//! What charms measured of their units.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::{ListQuery, MetricHistory, MetricInfo, Page, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::{InModel, InUnit, Limit, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

/// Values without `?limit`, and at most.
const DEFAULT_LIMIT: u64 = 20;
const MOST: u64 = 10_000;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(metrics)).lists::<MetricInfo>(),
        row(READ, routes!(of_unit)),
    ]
}

/// Lists the newest value of each metric that charms declare of their units.
///
/// A name is `UNIT:METRIC`, with labels `UNIT:METRIC{LABEL=VALUE,…}`.
#[utoipa::path(get, path = paths::MODEL_METRICS.text, params(ListQuery), responses((status = 200, body = Page<MetricInfo>)))]
async fn metrics(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().metrics(&model).await?, &query)
}

/// Shows what the metrics of a unit were, oldest first, as far as they are kept.
#[utoipa::path(get, path = paths::UNIT_METRICS.text, params(Limit), responses((status = 200, body = Vec<MetricHistory>)))]
async fn of_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(limit): Query<Limit>,
) -> Result<Json<Vec<MetricHistory>>, Answer> {
    let limit = limit.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
    let found = state.store().metric_history(&model, &unit, limit).await?;
    Ok(Json(found))
}
