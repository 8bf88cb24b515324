//! The controller's configuration: what can change while it runs.

use axum::Json;
use axum::extract::State;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ConfigChange, ConfigSetting, ConfigSettings, paths};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::Body;
use super::problem::Answer;
use super::route::{Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(show)),
        row(Visitor::Superuser, routes!(change)),
    ]
}

/// Shows the controller's options.
///
/// All of them, each with where its value comes from. The value of a secret is never shown.
#[utoipa::path(get, path = paths::CONTROLLER_CONFIG.text, responses((status = 200, body = std::collections::BTreeMap<String, ConfigSetting>)))]
async fn show(State(state): State<ServerState>) -> Result<Json<ConfigSettings>, Answer> {
    Ok(Json(state.store().controller_settings().await?))
}

/// Changes the controller's options, all of the change or nothing of it.
#[utoipa::path(patch, path = paths::CONTROLLER_CONFIG.text, request_body = ConfigChange, responses((status = 200, body = std::collections::BTreeMap<String, ConfigSetting>)))]
async fn change(
    State(state): State<ServerState>,
    Body(change): Body<ConfigChange>,
) -> Result<Json<ConfigSettings>, Answer> {
    changed(state.store().set_controller_config(change)).await
}
