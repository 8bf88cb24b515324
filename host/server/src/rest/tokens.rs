//! `/v1/users/{user}/tokens`: the tokens and sessions of a user, without their secrets.

use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, Path, State};
use periapt_model::Refusal;
use periapt_store::{IssuedToken, NewToken, Origin, TokenKind};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{AddToken, AddedToken, ListQuery, Page, TokenInfo, paths};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed_to, done};
use super::extract::{Body, OfUser, Query};
use super::gate::Credential;
use super::page::page;
use super::problem::Answer;
use super::route::{Row, row};
use crate::authenticator::{LONGEST_TOKEN_LIFE, TOKEN_LIFE};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::OneselfOrSuperuser, routes!(list)).lists::<TokenInfo>(),
        row(Visitor::Oneself, routes!(add))
            .secret()
            .creates(paths::USER_TOKENS, &[]),
        row(Visitor::OneselfOrSuperuser, routes!(remove)),
    ]
}

/// Lists the tokens, logins and sessions of a user, without their secrets.
#[utoipa::path(get, path = paths::USER_TOKENS.text, params(ListQuery), responses((status = 200, body = Page<TokenInfo>)))]
async fn list(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    credential: Option<Extension<Credential>>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let mut tokens = state.store().tokens(&user).await?;
    if let Some(Extension(Credential(known))) = credential {
        for token in &mut tokens {
            token.current = token.id == known.id;
        }
    }
    page(tokens, &query)
}

/// Makes a token for a program.
///
/// Its secret is in this answer and nowhere else.
#[utoipa::path(post, path = paths::USER_TOKENS.text, request_body = AddToken, responses((status = 200, body = AddedToken)))]
async fn add(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Body(request): Body<AddToken>,
) -> Result<Json<AddedToken>, Answer> {
    let lifetime = match request.expires_in {
        Some(seconds) => lifetime(seconds)?,
        None => TOKEN_LIFE,
    };
    let wanted = NewToken {
        kind: TokenKind::Token,
        name: request.name,
        unique: true,
        lifetime,
        replaces: None,
        origin: Origin::default(),
    };
    let added = |issued: &IssuedToken| AddedToken {
        info: issued.info.clone(),
        token: issued.secret.clone(),
    };
    changed_to(state.store().issue_token(&user, wanted), added).await
}

/// The lifetime that is asked for, if a token may live that long.
pub(super) fn lifetime(seconds: u64) -> Result<Duration, Answer> {
    let lifetime = Duration::from_secs(seconds);
    if !lifetime.is_zero() && lifetime <= LONGEST_TOKEN_LIFE {
        return Ok(lifetime);
    }
    let days = LONGEST_TOKEN_LIFE.as_secs() / (24 * 3600);
    Err(Answer(Problem::new(Refusal::TokenLifetimeInvalid).why(
        format!("a token is valid for one second to {days} days"),
    )))
}

/// Ends a token or session.
#[utoipa::path(delete, path = paths::USER_TOKEN.text, operation_id = "revokeUserToken", responses((status = 200, body = Empty)))]
async fn remove(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    path: Path<(String, String)>,
) -> Result<Json<Empty>, Answer> {
    let Path((_, id)) = path;
    done(state.store().remove_token(&user, &id)).await
}
