//! The controller's configuration: what can change while it runs.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{get, patch};
use periapt_model::config::Values;
use periapt_wire::rest::ConfigChange;

use super::Row;
use super::extract::Body;
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/controller/config", get(show)),
        (Method::PATCH, "/v1/controller/config", patch(change)),
    ]
}

async fn show(State(state): State<ServerState>) -> Result<Json<Values>, Answer> {
    Ok(Json(state.store().controller_config().await?))
}

async fn change(
    State(state): State<ServerState>,
    Body(change): Body<ConfigChange>,
) -> Result<Json<Values>, Answer> {
    Ok(Json(state.store().set_controller_config(change).await?))
}
