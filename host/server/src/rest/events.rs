//! `GET /v1/events` and `GET /v1/models/{model}/events`: what changes, as server-sent events.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures::stream;
use periapt_store::Reach;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Current, Dropped, Event, Reset, paths};
use utoipa_axum::routes;

use super::extract::{Ending, InModel};
use super::problem::{Answer, forbidden};
use super::route::{READ, Row, row};
use super::sse;
use crate::feed::{Audience, Cursor, Reader, Scope};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(everything)),
        row(READ, routes!(of_model))
            .with::<Event>()
            .with::<Current>()
            .with::<Reset>()
            .with::<Dropped>(),
    ]
}

/// Streams what changes in all that the visitor may see, as server-sent events.
///
/// It begins with a `snapshot` event for each entity and one `current`, or, after `Last-Event-ID`, with what came since; then there is a `change` for each entity that changed. `reset` means that a new snapshot follows, `dropped` is the last event and says why the stream ends. The data of `snapshot` and `change` is an `Event`.
#[utoipa::path(get, path = paths::EVENTS.text, operation_id = "streamEvents", responses((status = 200, body = String, content_type = "text/event-stream")))]
async fn everything(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    read(state, identity, Scope::Everything, &headers, ending).await
}

/// Streams what changes in a model, as server-sent events.
///
/// The events are those of `GET /v1/events`.
#[utoipa::path(get, path = paths::MODEL_EVENTS.text, operation_id = "streamModelEvents", responses((status = 200, body = String, content_type = "text/event-stream")))]
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
