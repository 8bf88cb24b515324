//! Who reaches whom.

use axum::Json;
use axum::extract::State;
use periapt_model::UnitName;
use periapt_wire::rest::{Reachability, paths};
use serde::Deserialize;
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(reachability))]
}

/// `?unit`
#[derive(Deserialize, Default, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct OfUnit {
    /// Only this unit, `site/0`.
    unit: Option<String>,
}

/// Shows who reaches the units of a model at which ports, and from outside.
///
/// Where the ports listen that are exposed is what the model's provider said last.
#[utoipa::path(get, path = paths::MODEL_REACHABILITY.text, operation_id = "getReachability", params(OfUnit), responses((status = 200, body = Reachability)))]
async fn reachability(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(of): Query<OfUnit>,
) -> Result<Json<Reachability>, Answer> {
    let unit: Option<UnitName> = of.unit.map(|unit| unit.parse()).transpose()?;
    let reach = state.store().reachability(&model, unit.as_ref()).await?;
    Ok(Json(reach))
}
