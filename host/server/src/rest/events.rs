//! `GET /v1/events` and `GET /v1/models/{model}/events`: what changes, as server-sent events.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use axum::routing::get;
use futures::stream;
use periapt_store::Reach;

use super::Row;
use super::extract::{Ending, InModel};
use super::problem::{Answer, forbidden};
use super::sse;
use crate::feed::{Audience, Cursor, Reader, Scope};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/events", get(everything)),
        (Method::GET, "/v1/models/{model}/events", get(of_model)),
    ]
}

async fn everything(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    read(state, identity, Scope::Everything, &headers, ending).await
}

async fn of_model(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InModel(model): InModel,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    read(state, identity, Scope::Model(model), &headers, ending).await
}

async fn read(
    state: ServerState,
    identity: Identity,
    scope: Scope,
    headers: &HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    let reach = state.store().reach(&name).await?;
    if reach == Reach::Nothing {
        return Err(forbidden());
    }
    let audience = Audience {
        user: name,
        reach,
        scope,
    };
    // An id that cannot be read is none of ours: the client then gets everything.
    let from = sse::last_event_id(headers).map(|id| id.parse().unwrap_or(Cursor::end(-1)));
    let ending = Box::pin(ending.come());
    let reader = Reader::new(state.cache().clone(), audience, from, ending);
    Ok(sse::respond(stream::unfold(reader, |mut reader| async {
        reader.next().await.map(|bytes| (bytes, reader))
    })))
}
