//! The controller itself: what it is, and asking it to stop.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_store::CONTROLLER_CLOUD;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ControllerInfo, StopRequest, paths};
use periapt_wire::rpc::Empty;
use utoipa_axum::routes;

use super::extract::Body;
use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::charm_revisions;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(info)),
        row(Visitor::Superuser, routes!(stop))
            .begins()
            .during_upgrade(),
    ]
}

/// Shows what the controller is.
///
/// The models counted are those the visitor can see.
#[utoipa::path(get, path = paths::CONTROLLER.text, responses((status = 200, body = ControllerInfo)))]
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
        cloud: CONTROLLER_CLOUD.to_owned(),
        charm_repository: charm_revisions::place(state.store()).await?,
        models: models.len() as u64,
        started_at: controller.started_at,
        database: controller.database.clone(),
        pid: std::process::id(),
        hook_limits: Some(state.limits().into()),
    }))
}

/// Stops the controller.
///
/// The answer comes before anything stops: running requests are finished first.
#[utoipa::path(post, path = paths::CONTROLLER_STOP.text, request_body = StopRequest, responses((status = 200, body = Empty)))]
async fn stop(State(state): State<ServerState>, Body(request): Body<StopRequest>) -> Json<Empty> {
    state.stop_signal().request(request);
    Json(Empty {})
}
