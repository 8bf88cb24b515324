//! Where models may be: clouds, and the visitor's credentials in them.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Cloud, CloudCredential, ListQuery, Page, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::extract::Query;
use super::page::page;
use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(list)).lists::<Cloud>(),
        row(Visitor::Login, routes!(credentials)).lists::<CloudCredential>(),
    ]
}

/// Lists the clouds.
#[utoipa::path(get, path = paths::CLOUDS.text, params(ListQuery), responses((status = 200, body = Page<Cloud>)))]
async fn list(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().clouds().await?, &query)
}

/// Lists the visitor's credentials.
///
/// What a credential consists of is never shown.
#[utoipa::path(get, path = paths::CREDENTIALS.text, params(ListQuery), responses((status = 200, body = Page<CloudCredential>)))]
async fn credentials(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    page(state.store().credentials(&name).await?, &query)
}
