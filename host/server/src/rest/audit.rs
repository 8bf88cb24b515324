//! The audit log, of the controller and of one model.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::get;
use periapt_wire::rest::{AuditQuery, AuditRecord, Page};

use super::Row;
use super::extract::{InModel, Query};
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/audit", get(of_controller)),
        (Method::GET, "/v1/models/{model}/audit", get(of_model)),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(of_controller, of_model))]
pub(super) struct Described;

type Records = Result<Json<Page<AuditRecord>>, Answer>;

/// Lists what was changed and refused on the controller and in all models, newest first.
#[utoipa::path(get, path = "/v1/audit", params(AuditQuery), responses((status = 200, body = Page<AuditRecord>)))]
async fn of_controller(
    State(state): State<ServerState>,
    Query(query): Query<AuditQuery>,
) -> Records {
    Ok(Json(state.store().audit(None, &query).await?))
}

/// Lists what was changed and refused in a model, newest first.
#[utoipa::path(get, path = "/v1/models/{model}/audit", params(AuditQuery), responses((status = 200, body = Page<AuditRecord>)))]
async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<AuditQuery>,
) -> Records {
    Ok(Json(state.store().audit(Some(&model), &query).await?))
}
