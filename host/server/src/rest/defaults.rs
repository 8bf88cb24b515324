//! Options of models that say nothing else themselves: look at, change.

use axum::Json;
use axum::extract::State;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    ChangeModelDefaults, ModelDefault, ModelDefaults, ModelDefaultsQuery, paths,
};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, Query};
use super::problem::Answer;
use super::route::{Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(show)),
        row(Visitor::Superuser, routes!(change)),
    ]
}

/// Shows what options are in models that do not set them.
///
/// Of one cloud: what holds while nobody says anything, in all of the cloud, and in its regions.
#[utoipa::path(get, path = paths::MODEL_DEFAULTS.text, params(ModelDefaultsQuery), responses((status = 200, body = BTreeMap<String, ModelDefault>)))]
async fn show(
    State(state): State<ServerState>,
    Query(query): Query<ModelDefaultsQuery>,
) -> Result<Json<ModelDefaults>, Answer> {
    let shown = state.store().model_defaults(query.cloud.as_deref()).await?;
    Ok(Json(shown))
}

/// Changes what options are in models that do not set them, all of the change or nothing of it.
///
/// Models that are there have them at once, and new ones from the start.
#[utoipa::path(patch, path = paths::MODEL_DEFAULTS.text, request_body = ChangeModelDefaults, responses((status = 200, body = BTreeMap<String, ModelDefault>)))]
async fn change(
    State(state): State<ServerState>,
    Body(request): Body<ChangeModelDefaults>,
) -> Result<Json<ModelDefaults>, Answer> {
    changed(state.store().change_model_defaults(request)).await
}
