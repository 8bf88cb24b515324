//! The HTTP API of people and scripts, under `/v1`: one file per resource.
//!
//! Each file lists its routes; who may visit them is in [`crate::access`], asked before a body
//! is read. Handlers read the request with the extractors of [`extract`], call the store and
//! answer with the types of `wire::rest`, or with a [`problem::Answer`].

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use periapt_model::bounds::ANONYMOUS_BODY_BYTES;
use periapt_wire::Problem;
use tower_http::compression::CompressionLayer;

use crate::access as table;
use crate::state::ServerState;
use crate::ui;

mod access;
mod agents;
mod applications;
mod audit;
mod backups;
mod blobs;
mod charms;
mod clouds;
mod conditions;
mod controller;
mod controller_config;
mod credentials;
mod events;
mod extract;
mod gate;
mod history;
mod hooks;
mod idempotency;
mod lines;
mod login;
mod logs;
mod machines;
mod models;
mod nodes;
pub(crate) mod observe;
mod openapi;
mod page;
mod probes;
pub mod problem;
mod register;
mod relations;
pub(crate) mod requests;
mod session;
pub(crate) mod sse;
mod status;
#[cfg(test)]
mod tests;
mod tokens;
mod units;
mod users;
mod wait;
mod whoami;
mod workers;

pub use charms::ARCHIVE_BYTES;
pub(crate) use idempotency::Running;
use problem::Answer;

/// Bytes of a JSON body.
const BODY_BYTES: usize = 2 << 20;

/// Smaller answers fit a packet as they are.
const WORTH_BYTES: usize = 1024;

/// A route with its handler.
type Row = (Method, &'static str, MethodRouter<ServerState>);

fn rows() -> Vec<Row> {
    [
        access::routes(),
        agents::routes(),
        applications::routes(),
        audit::routes(),
        backups::routes(),
        blobs::routes(),
        charms::routes(),
        clouds::routes(),
        controller::routes(),
        controller_config::routes(),
        credentials::routes(),
        events::routes(),
        history::routes(),
        hooks::routes(),
        login::routes(),
        logs::routes(),
        machines::routes(),
        models::routes(),
        nodes::routes(),
        observe::routes(),
        openapi::routes(),
        probes::routes(),
        register::routes(),
        relations::routes(),
        session::routes(),
        status::routes(),
        tokens::routes(),
        units::routes(),
        users::routes(),
        whoami::routes(),
        wait::routes(),
        workers::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The routes of the HTTP API. One that the access table does not know is not served.
pub(crate) fn router(state: &ServerState) -> Router {
    let mut router = Router::new();
    for (method, path, handler) in rows() {
        match table::route(&method, path) {
            Some(route) => {
                let gate = from_fn_with_state((state.clone(), route), gate::admit);
                let observer = from_fn_with_state((state.clone(), route), observe::observe);
                let handler = match route.visitor {
                    table::Visitor::Anyone => {
                        handler.layer(DefaultBodyLimit::max(ANONYMOUS_BODY_BYTES.length()))
                    }
                    _ => handler,
                };
                router = router.route(path, handler.route_layer(gate).route_layer(observer));
            }
            None => tracing::error!(%method, path, "route without a row in the access table"),
        }
    }
    router
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .with_state(state.clone())
        .layer(CompressionLayer::new().compress_when(compressible))
}

/// What every answer says to a browser: to believe its kind, and to keep nothing of it that does
/// not say otherwise.
pub(crate) async fn guarded(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Documents are worth compressing. Streams are not, a reader waits for each line; neither are
/// blobs, they are compressed already.
fn compressible(
    _: StatusCode,
    _: Version,
    headers: &HeaderMap,
    _: &axum::http::Extensions,
) -> bool {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let kind = value(header::CONTENT_TYPE).unwrap_or_default();
    let document = ["application/json", "application/problem+json", "text/html"]
        .iter()
        .any(|known| kind.starts_with(known));
    let small = value(header::CONTENT_LENGTH)
        .and_then(|length| length.parse::<usize>().ok())
        .is_some_and(|length| length < WORTH_BYTES);
    document && !small
}

/// What is no route is a page of the web interface, or nothing.
async fn nowhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if ui::serves(&method, uri.path()) {
        return ui::answer(uri.path(), &headers);
    }
    Answer(
        Problem::new(404, "route-not-found", "There is nothing at this address")
            .why(format!("{} is not a path of this API", uri.path()))
            .advice("the paths begin with /v1/models; GET /v1/models lists the models"),
    )
    .into_response()
}

async fn not_so(method: Method, uri: Uri) -> Answer {
    Answer(
        Problem::new(405, "method-not-allowed", "This address has no such method")
            .why(format!("{method} is not possible on {}", uri.path())),
    )
}
