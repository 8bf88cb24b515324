//! `POST /v1/login`: a password for a bearer token.

use axum::Json;
use axum::extract::State;
use periapt_model::Tag;
use periapt_store::IssuedToken;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{LoginReply, LoginRequest, paths};
use utoipa_axum::routes;

use super::changed::written;
use super::extract::Body;
use super::problem::Answer;
use super::route::{Row, row};
use super::tokens::lifetime;
use crate::authenticator::{Caller, LOGIN_LIFE};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Anyone, routes!(login))
            .secret()
            .during_upgrade(),
    ]
}

/// Logs in: a password for a bearer token.
///
/// The token goes into the header `Authorization: Bearer TOKEN` of other requests. It ends by itself after a day, or
/// after `expires-in`, and at once with `DELETE /v1/session`.
#[utoipa::path(post, path = paths::LOGIN.text, request_body = LoginRequest, responses((status = 200, body = LoginReply)))]
async fn login(
    State(state): State<ServerState>,
    caller: Caller,
    Body(request): Body<LoginRequest>,
) -> Result<Json<LoginReply>, Answer> {
    let peer = caller.peer;
    let life = match request.expires_in {
        Some(seconds) => lifetime(seconds)?,
        None => LOGIN_LIFE,
    };
    let login = state.authenticator().issue_token(&request, life, &caller);
    let (issued, reply) = written(login, logged_in).await?;
    tracing::info!(target: "audit", who = %Tag::User(issued.user), method = "login", result = "ok", ?peer, "login");
    Ok(reply)
}

/// What somebody is told who has a token from now on.
pub(super) fn logged_in(issued: &IssuedToken) -> LoginReply {
    LoginReply {
        user: issued.user.to_string(),
        token: issued.secret.clone(),
        id: issued.info.id.clone(),
        expires_at: issued.info.expires_at,
    }
}
