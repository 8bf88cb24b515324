//! `GET /v1/whoami`: whom the controller takes the visitor for, and what they may do.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_wire::access::Visitor;
use periapt_wire::rest::{WhoAmI, paths};
use utoipa_axum::routes;

use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(Visitor::Login, routes!(whoami))]
}

/// Shows whom the controller takes the visitor for, and what they may do.
#[utoipa::path(get, path = paths::WHOAMI.text, operation_id = "whoAmI", responses((status = 200, body = WhoAmI)))]
async fn whoami(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<WhoAmI>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    let about = state.store().user(&name).await?;
    Ok(Json(WhoAmI {
        user: about.name,
        display_name: about.display_name,
        access: about.access,
        models: state.store().own_models(&name).await?,
        controller: state.controller().name.clone(),
    }))
}
