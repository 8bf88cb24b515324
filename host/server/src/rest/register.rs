//! `POST /v1/register`: an invitation for a password and a login.

use axum::Json;
use axum::extract::State;
use periapt_model::{Tag, UserName};
use periapt_wire::access::Visitor;
use periapt_wire::rest::{LoginReply, Register, paths};
use utoipa_axum::routes;

use super::changed::changed_to;
use super::extract::Body;
use super::login::logged_in;
use super::problem::Answer;
use super::route::{Row, row};
use crate::authenticator::Caller;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(Visitor::Anyone, routes!(register)).secret()]
}

/// Registers an invited user: the one-time token for a password and a login.
#[utoipa::path(post, path = paths::REGISTER.text, request_body = Register, responses((status = 200, body = LoginReply)))]
async fn register(
    State(state): State<ServerState>,
    caller: Caller,
    Body(request): Body<Register>,
) -> Result<Json<LoginReply>, Answer> {
    let peer = caller.peer;
    let user: UserName = request.user.parse()?;
    let authenticator = state.authenticator();
    let login = authenticator.register(&user, &request.token, &request.password, &caller);
    let reply = changed_to(login, logged_in).await?;
    tracing::info!(target: "audit", who = %Tag::User(user), method = "register", result = "ok", ?peer, "registered");
    Ok(reply)
}
