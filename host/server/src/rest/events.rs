//! `GET /v1/events` and `GET /v1/models/{model}/events`: what changes, as server-sent events.

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use futures::stream;
use periapt_model::Refusal;
use periapt_model::nearest::suggestion;
use periapt_store::{EntityKind, Reach};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Current, Dropped, Event, EventQuery, Reset, paths};
use utoipa_axum::routes;

use super::extract::{Ending, InModel, Query};
use super::problem::{Answer, forbidden};
use super::route::{READ, Row, row};
use super::sse;
use crate::feed::{Audience, Cursor, Filter, Reader, Scope};
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
/// It begins with a `snapshot` event for each entity and one `current`, or, after `Last-Event-ID`, with what came since; then there is a `change` for each entity that changed. With `lists=true` it begins with `snapshots` events instead, whose data is a list of `Event`. `reset` means that a new snapshot follows, `dropped` is the last event and says why the stream ends. The data of `snapshot` and `change` is an `Event`.
#[utoipa::path(get, path = paths::EVENTS.text, operation_id = "streamEvents", params(EventQuery), responses((status = 200, body = String, content_type = "text/event-stream")))]
async fn everything(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Query(query): Query<EventQuery>,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    let filter = filter(&query)?;
    read(state, identity, Scope::Everything, filter, &headers, ending).await
}

/// Streams what changes in a model, as server-sent events.
///
/// The events are those of `GET /v1/events`.
#[utoipa::path(get, path = paths::MODEL_EVENTS.text, operation_id = "streamModelEvents", params(EventQuery), responses((status = 200, body = String, content_type = "text/event-stream")))]
async fn of_model(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InModel(model): InModel,
    Query(query): Query<EventQuery>,
    headers: HeaderMap,
    ending: Ending,
) -> Result<Response, Answer> {
    let filter = filter(&query)?;
    read(
        state,
        identity,
        Scope::Model(model),
        filter,
        &headers,
        ending,
    )
    .await
}

/// What the query asks for.
fn filter(query: &EventQuery) -> Result<Filter, Answer> {
    let words = query.kinds.as_deref().unwrap_or_default().split(',');
    let words = words.map(str::trim).filter(|word| !word.is_empty());
    let kinds = words.map(kind).collect::<Result<_, _>>()?;
    let application = query.application.as_deref().map(str::parse).transpose()?;
    let lists = query.lists.unwrap_or_default();
    Ok(Filter {
        kinds,
        application,
        lists,
    })
}

fn kind(word: &str) -> Result<EntityKind, Answer> {
    let known = EntityKind::ALL;
    if let Some(kind) = known.into_iter().find(|kind| kind.as_str() == word) {
        return Ok(kind);
    }
    let meant = suggestion(word, known.iter().map(|kind| kind.as_str()));
    let all: Vec<&str> = known.iter().map(|kind| kind.as_str()).collect();
    Err(Answer(
        Problem::new(Refusal::QueryInvalid)
            .titled("The request's query cannot be read")
            .why(format!("there is no kind {word:?}{meant}"))
            .advice(format!("there are {}", all.join(", "))),
    ))
}

async fn read(
    state: ServerState,
    identity: Identity,
    scope: Scope,
    filter: Filter,
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
        filter,
    };
    // An id that cannot be read is none of ours: the client then gets everything.
    let from = sse::last_event_id(headers).map(|id| id.parse().unwrap_or(Cursor::end(-1)));
    let ending = Box::pin(ending.come());
    let reader = Reader::new(state.cache().clone(), audience, from, ending);
    Ok(sse::respond(stream::unfold(reader, |mut reader| async {
        reader.next().await.map(|bytes| (bytes, reader))
    })))
}
