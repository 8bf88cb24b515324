//! `GET /health` and `GET /ready`: for whoever watches the process. Anyone may ask, so they
//! tell how it is and nothing of what it holds.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Probe, paths};
use utoipa_axum::routes;

use super::route::{Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Anyone, routes!(health)),
        row(Visitor::Anyone, routes!(ready)),
    ]
}

/// Tells whether the process lives.
#[utoipa::path(get, path = paths::HEALTH.text, responses((status = 200, body = Probe)))]
async fn health(State(state): State<ServerState>) -> (StatusCode, Json<Probe>) {
    let health = &state.observation().health;
    answer(health.alive(Arc::clone(state.reports())).await)
}

/// Tells whether the process can serve.
#[utoipa::path(get, path = paths::READY.text, responses((status = 200, body = Probe)))]
async fn ready(State(state): State<ServerState>) -> (StatusCode, Json<Probe>) {
    let open = !state.closing().is_cancelled();
    let health = &state.observation().health;
    let probe = health.ready(open, state.store(), state.leases()).await;
    for check in probe.checks.iter().filter(|check| !check.ok) {
        tracing::warn!(check = check.name, reason = check.reason, "not ready");
    }
    answer(probe)
}

fn answer(probe: Probe) -> (StatusCode, Json<Probe>) {
    let status = if probe.checks.iter().all(|check| check.ok) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, Json(probe))
}
