//! `GET /v1/models/{model}/status`: the picture of a model.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use periapt_model::AgentName;
use periapt_wire::rest::paths;
use periapt_wire::status::FullStatus;
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(status))]
}

/// Shows the status of a model, or of what the patterns name.
///
/// Without a pattern the answer is shared with whoever else asks. The shape is that of the result of `Client.FullStatus` in Juju.
#[utoipa::path(get, path = paths::MODEL_STATUS.text, operation_id = "getStatus", params(("pattern" = Option<Vec<String>>, Query, description = "Applications, units or machines, `*` for any text; repeated for more than one")), responses((status = 200, body = FullStatus)))]
async fn status(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Response, Answer> {
    let patterns: Vec<String> = query
        .into_iter()
        .filter(|(key, _)| key == "pattern")
        .map(|(_, value)| value)
        .collect();
    if patterns.is_empty() {
        let status = state.cache().statuses().of(&model).await?;
        let json = [(header::CONTENT_TYPE, "application/json")];
        return Ok((json, status.json()).into_response());
    }
    let present = state.presence().of(&model);
    let status = state
        .store()
        .full_status(&model, &patterns, &|agent: &AgentName| present.has(agent))
        .await?;
    Ok(Json(status).into_response())
}
