//! `/v1/session`: the login of a browser, kept in a cookie that its scripts cannot read, and the
//! end of any login.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::IntoResponse;
use periapt_model::{Refusal, Tag};
use periapt_store::{IssuedToken, StoreError, TokenKind};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{LoginRequest, Session, paths};
use periapt_wire::rpc::Empty;
use utoipa_axum::routes;

use super::changed::{done, written};
use super::extract::Body;
use super::gate::{COOKIE, Credential, session_cookie};
use super::problem::Answer;
use super::route::{Row, row};
use crate::authenticator::{Caller, SESSION_LIFE};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Anyone, routes!(open))
            .secret()
            .creates(paths::SESSION, &[])
            .during_upgrade(),
        row(Visitor::Login, routes!(show)),
        row(Visitor::Login, routes!(end)).secret().during_upgrade(),
    ]
}

/// Opens a browser's session: a password for a cookie.
///
/// A session opened over another ends that one.
#[utoipa::path(post, path = paths::SESSION.text, operation_id = "openSession", request_body = LoginRequest, responses((status = 200, body = Session)))]
async fn open(
    State(state): State<ServerState>,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<LoginRequest>,
) -> Result<impl IntoResponse, Answer> {
    let peer = caller.peer;
    let before = session_cookie(&headers);
    let login =
        state
            .authenticator()
            .open_session(&request.user, &request.password, before, &caller);
    let (issued, session) = written(login, |issued: &IssuedToken| Session {
        user: issued.user.to_string(),
        csrf: issued.csrf.clone(),
        expires_at: issued.info.expires_at,
    })
    .await?;
    tracing::info!(target: "audit", who = %Tag::User(issued.user), method = "login", result = "ok", ?peer, "session opened");
    let cookie = set_cookie(&issued.secret, SESSION_LIFE.as_secs());
    Ok(([cookie], session))
}

/// Shows the session that the request was made with.
#[utoipa::path(get, path = paths::SESSION.text, responses((status = 200, body = Session)))]
async fn show(credential: Option<Extension<Credential>>) -> Result<Json<Session>, Answer> {
    match credential {
        Some(Extension(Credential(known))) if known.kind == TokenKind::Session => {
            Ok(Json(Session {
                user: known.user.to_string(),
                csrf: known.csrf,
                expires_at: known.expires_at,
            }))
        }
        _ => Err(Answer(
            Problem::new(Refusal::SessionNotFound)
                .why("this request was not made with the cookie of a session"),
        )),
    }
}

/// Ends the session or token that the request was made with.
///
/// A password has no end.
#[utoipa::path(delete, path = paths::SESSION.text, operation_id = "endSession", responses((status = 200, body = Empty)))]
async fn end(
    State(state): State<ServerState>,
    credential: Option<Extension<Credential>>,
) -> Result<impl IntoResponse, Answer> {
    let ended = done(async {
        let Some(Extension(Credential(known))) = credential else {
            return Ok(());
        };
        match state.store().remove_token(&known.user, &known.id).await {
            // Ended by another request meanwhile.
            Err(StoreError::NotFound { .. }) => Ok(()),
            ended => ended,
        }
    });
    Ok(([set_cookie("", 0)], ended.await?))
}

/// Not for scripts, not without TLS, not from other sites' pages.
fn set_cookie(secret: &str, seconds: u64) -> (HeaderName, String) {
    let value =
        format!("{COOKIE}={secret}; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age={seconds}");
    (header::SET_COOKIE, value)
}
