//! What charms measured of their units.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::{ListQuery, MetricHistory, MetricHistoryQuery, MetricInfo, Page, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::{InModel, InUnit, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

/// Values of each metric without `?values`, and at most.
const VALUES: u64 = 20;
const MOST: u64 = 10_000;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(metrics)).lists::<MetricInfo>(),
        row(READ, routes!(of_unit)).lists::<MetricHistory>(),
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
#[utoipa::path(get, path = paths::UNIT_METRICS.text, params(MetricHistoryQuery), responses((status = 200, body = Page<MetricHistory>)))]
async fn of_unit(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(query): Query<MetricHistoryQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let values = query.values.unwrap_or(VALUES).min(MOST);
    let found = state.store().metric_history(&model, &unit, values).await?;
    let query = ListQuery {
        limit: query.limit,
        after: query.after,
        ..ListQuery::default()
    };
    page(found, &query)
}
