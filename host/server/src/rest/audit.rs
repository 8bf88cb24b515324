//! The audit log, of the controller and of one model.

use axum::Json;
use axum::extract::State;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{AuditQuery, AuditRecord, Page, paths};
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{ADMIN, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(of_controller)),
        row(ADMIN, routes!(of_model)),
    ]
}

type Records = Result<Json<Page<AuditRecord>>, Answer>;

/// Lists what was changed and refused on the controller and in all models, newest first.
#[utoipa::path(get, path = paths::AUDIT.text, params(AuditQuery), responses((status = 200, body = Page<AuditRecord>)))]
async fn of_controller(
    State(state): State<ServerState>,
    Query(query): Query<AuditQuery>,
) -> Records {
    Ok(Json(state.store().audit(None, &query).await?))
}

/// Lists what was changed and refused in a model, newest first.
#[utoipa::path(get, path = paths::MODEL_AUDIT.text, operation_id = "listModelAudit", params(AuditQuery), responses((status = 200, body = Page<AuditRecord>)))]
async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<AuditQuery>,
) -> Records {
    Ok(Json(state.store().audit(Some(&model), &query).await?))
}
