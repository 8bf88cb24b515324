//! `/v1/users/{user}/tokens`: the tokens and sessions of a user, without their secrets.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::routing::{delete, get, post};
use periapt_store::{NewToken, TokenKind};
use periapt_wire::rest::{AddToken, AddedToken, TokenInfo};
use periapt_wire::rpc::Empty;

use super::Row;
use super::extract::{Body, OfUser};
use super::problem::Answer;
use crate::authenticator::TOKEN_LIFE;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/users/{user}/tokens", get(list)),
        (Method::POST, "/v1/users/{user}/tokens", post(add)),
        (
            Method::DELETE,
            "/v1/users/{user}/tokens/{id}",
            delete(remove),
        ),
    ]
}

async fn list(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
) -> Result<Json<Vec<TokenInfo>>, Answer> {
    Ok(Json(state.store().tokens(&user).await?))
}

async fn add(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Body(request): Body<AddToken>,
) -> Result<Json<AddedToken>, Answer> {
    let wanted = NewToken {
        kind: TokenKind::Token,
        name: request.name,
        unique: true,
        lifetime: request.expires_in.map_or(TOKEN_LIFE, Duration::from_secs),
    };
    let issued = state.store().issue_token(&user, wanted).await?;
    Ok(Json(AddedToken {
        info: issued.info,
        token: issued.secret,
    }))
}

async fn remove(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Path((_, id)): Path<(String, String)>,
) -> Result<Json<Empty>, Answer> {
    state.store().remove_token(&user, &id).await?;
    Ok(Json(Empty {}))
}
