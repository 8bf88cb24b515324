//! Blocks of a model: list, set, lift. What they hold back is refused by [`super::blocked`].

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::Refusal;
use periapt_model::block::BlockKind;
use periapt_wire::Problem;
use periapt_wire::rest::{BlockInfo, ListQuery, Page, SetBlock, paths};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::extract::{Body, InModel, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{ADMIN, READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<BlockInfo>(),
        row(ADMIN, routes!(set)).never_blocked(),
        row(ADMIN, routes!(lift)).never_blocked(),
    ]
}

/// Lists what is disabled in a model, with why.
#[utoipa::path(get, path = paths::BLOCKS.text, params(ListQuery), responses((status = 200, body = Page<BlockInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().blocks(&model).await?, &query)
}

/// Disables a kind of change of a model until it is allowed again.
///
/// `destroy-model` holds back what destroys the model, `remove-object` also what removes something in it
/// without `force`, `all` every change. Whoever makes one is refused with the message. Disabled
/// already, it has the new message.
#[utoipa::path(put, path = paths::BLOCK.text, request_body = SetBlock, responses((status = 200, body = BlockInfo)))]
async fn set(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Kind(kind): Kind,
    Body(request): Body<SetBlock>,
) -> Result<Json<BlockInfo>, Answer> {
    changed(state.store().set_block(&model, kind, request.message)).await
}

/// Allows a kind of change of a model again.
#[utoipa::path(delete, path = paths::BLOCK.text, operation_id = "liftBlock", responses((status = 200, body = Empty)))]
async fn lift(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Kind(kind): Kind,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_block(&model, kind)).await
}

/// `{kind}` of the path.
struct Kind(BlockKind);

impl FromRequestParts<ServerState> for Kind {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let kind = path.map(|Path((_, kind))| kind).unwrap_or_default();
        let refused = |why: String| Answer(Problem::new(Refusal::BlockKindInvalid).why(why));
        kind.parse::<BlockKind>().map(Kind).map_err(refused)
    }
}
