//! `POST /v1/login`: a password for a bearer token.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::Method;
use axum::routing::post;
use periapt_wire::rest::{LoginReply, LoginRequest};

use super::Row;
use super::extract::Body;
use super::problem::Answer;
use crate::listener::Connection;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![(Method::POST, "/v1/login", post(login))]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(login))]
pub(super) struct Described;

/// Logs in: a password for a bearer token.
///
/// The token goes into the header `Authorization: Bearer TOKEN` of other requests.
#[utoipa::path(post, path = "/v1/login", request_body = LoginRequest, responses((status = 200, body = LoginReply)))]
async fn login(
    State(state): State<ServerState>,
    connection: Option<Extension<Connection>>,
    Body(request): Body<LoginRequest>,
) -> Result<Json<LoginReply>, Answer> {
    let peer = connection.map(|Extension(connection)| connection.peer.ip());
    let (name, issued) = state
        .authenticator()
        .issue_token(
            &request.user,
            &request.password,
            request.name.as_deref(),
            peer,
        )
        .await?;
    tracing::info!(target: "audit", who = %periapt_model::Tag::User(name.clone()), method = "login", result = "ok", ?peer, "login");
    Ok(Json(LoginReply {
        user: name.to_string(),
        token: issued.secret,
    }))
}
