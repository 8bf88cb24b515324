//! Where models may be: clouds, and the visitor's credentials in them.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Cloud, CloudCredential, paths};
use utoipa_axum::routes;

use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(list)),
        row(Visitor::Login, routes!(credentials)),
    ]
}

/// Lists the clouds.
#[utoipa::path(get, path = paths::CLOUDS.text, responses((status = 200, body = Vec<Cloud>)))]
async fn list(State(state): State<ServerState>) -> Result<Json<Vec<Cloud>>, Answer> {
    Ok(Json(state.store().clouds().await?))
}

/// Lists the visitor's credentials.
///
/// What a credential consists of is never shown.
#[utoipa::path(get, path = paths::CREDENTIALS.text, responses((status = 200, body = Vec<CloudCredential>)))]
async fn credentials(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Vec<CloudCredential>>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    Ok(Json(state.store().credentials(&name).await?))
}
