//! The HTTP API of people and scripts, under `/v1`: one file per resource.
//!
//! Each file lists its routes; who may visit them is in [`crate::access`], asked before a body
//! is read. Handlers read the request with the extractors of [`extract`], call the store and
//! answer with the types of `wire::rest`, or with a [`problem::Answer`].

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use axum::middleware::from_fn_with_state;
use axum::routing::MethodRouter;
use periapt_wire::Problem;

use crate::access;
use crate::state::ServerState;

mod applications;
mod blobs;
mod charms;
mod controller;
mod events;
mod extract;
mod gate;
mod history;
mod lines;
mod login;
mod logs;
mod models;
mod probes;
pub mod problem;
pub(crate) mod sse;
mod status;
#[cfg(test)]
mod tests;
mod units;
mod wait;
mod workers;

use problem::Answer;

/// Bytes of a JSON body.
const BODY_BYTES: usize = 2 << 20;

/// A route with its handler.
type Row = (Method, &'static str, MethodRouter<ServerState>);

fn rows() -> Vec<Row> {
    [
        applications::routes(),
        blobs::routes(),
        charms::routes(),
        controller::routes(),
        events::routes(),
        history::routes(),
        login::routes(),
        logs::routes(),
        models::routes(),
        probes::routes(),
        status::routes(),
        units::routes(),
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
        match access::route(&method, path) {
            Some(route) => {
                let gate = from_fn_with_state((state.clone(), route), gate::admit);
                router = router.route(path, handler.route_layer(gate));
            }
            None => tracing::error!(%method, path, "route without a row in the access table"),
        }
    }
    router
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .with_state(state.clone())
}

async fn nowhere(uri: Uri) -> Answer {
    Answer(
        Problem::new(404, "route-not-found", "There is nothing at this address")
            .why(format!("{} is not a path of this API", uri.path()))
            .advice("the paths begin with /v1/models; GET /v1/models lists the models"),
    )
}

async fn not_so(method: Method, uri: Uri) -> Answer {
    Answer(
        Problem::new(405, "method-not-allowed", "This address has no such method")
            .why(format!("{method} is not possible on {}", uri.path())),
    )
}
