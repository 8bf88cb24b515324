//! What hooks use of what they may: the units that use most.

use axum::Json;
use axum::extract::State;
use periapt_model::Refusal;
use periapt_store::StoreError;
use periapt_wire::rest::{Top, TopBy, TopQuery, paths};
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

/// Units in an answer when nothing is said, and at most.
const UNITS: u64 = 20;
const MOST_UNITS: u64 = 1_000;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(top)).with::<TopBy>()]
}

/// Lists the units whose hooks use most, of the runs that are remembered.
#[utoipa::path(get, path = paths::MODEL_TOP.text, params(TopQuery), responses((status = 200, body = Top)))]
async fn top(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<TopQuery>,
) -> Result<Json<Top>, Answer> {
    let limit = query.limit.unwrap_or(UNITS);
    if !(1..=MOST_UNITS).contains(&limit) {
        return Err(StoreError::Refused {
            refusal: Refusal::LimitInvalid,
            message: format!("limit is {limit}, there are 1 to {MOST_UNITS} units in an answer"),
        }
        .into());
    }
    let since = query.seconds.map_or(0, |seconds| {
        let back = i64::try_from(seconds.saturating_mul(1_000_000)).unwrap_or(i64::MAX);
        state.clock().now().as_microsecond().saturating_sub(back)
    });
    let units = state.store().top(&model, query.by, since, limit).await?;
    let limits = state.limits();
    Ok(Json(Top {
        limits: limits.into(),
        longest_limit: limits.wall_clock_ms.saturating_mul(1_000),
        units,
    }))
}
