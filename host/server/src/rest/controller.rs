//! The controller itself: what it is, and asking it to stop.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::Method;
use axum::routing::{get, post};
use periapt_wire::rest::{ControllerInfo, StopRequest};
use periapt_wire::rpc::Empty;

use super::Row;
use super::extract::Body;
use super::problem::{Answer, forbidden};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/controller", get(info)),
        (Method::POST, "/v1/controller/stop", post(stop)),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(info, stop))]
pub(super) struct Described;

/// Shows what the controller is.
///
/// The models counted are those the visitor can see.
#[utoipa::path(get, path = "/v1/controller", responses((status = 200, body = ControllerInfo)))]
async fn info(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<ControllerInfo>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    let models = state.store().own_models(&name).await?;
    let controller = state.controller();
    Ok(Json(ControllerInfo {
        uuid: controller.uuid.clone(),
        name: controller.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        addresses: state.addresses(),
        models: models.len() as u64,
        started_at: controller.started_at,
        database: controller.database.clone(),
        pid: std::process::id(),
    }))
}

/// Stops the controller.
///
/// The answer comes before anything stops: running requests are finished first.
#[utoipa::path(post, path = "/v1/controller/stop", request_body = StopRequest, responses((status = 200, body = Empty)))]
async fn stop(State(state): State<ServerState>, Body(request): Body<StopRequest>) -> Json<Empty> {
    state.stop_signal().request(request);
    Json(Empty {})
}
