//! `GET /health` and `GET /ready`: for whoever watches the process.

use axum::extract::State;
use axum::http::{Method, StatusCode};
use axum::routing::get;

use super::Row;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/health", get(health)),
        (Method::GET, "/ready", get(ready)),
    ]
}

/// The text is Juju's.
async fn health(State(state): State<ServerState>) -> (StatusCode, &'static str) {
    if state.closing().is_cancelled() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else {
        (StatusCode::OK, "running\n")
    }
}

/// Ready is who can reach the database for reading and writing.
async fn ready(State(state): State<ServerState>) -> (StatusCode, &'static str) {
    if state.closing().is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n");
    }
    match state.store().ping().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(%error, "not ready");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database does not answer\n",
            )
        }
    }
}
