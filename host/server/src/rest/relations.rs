//! Relations: list and look at.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::get;
use periapt_wire::rest::{ListQuery, Page, RelationInfo};
use serde_json::Value;

use super::Row;
use super::extract::{InModel, InRelation, Query};
use super::page::page;
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models/{model}/relations", get(list)),
        (
            Method::GET,
            "/v1/models/{model}/relations/{relation}",
            get(show),
        ),
    ]
}

#[derive(utoipa::OpenApi)]
#[openapi(paths(list, show))]
pub(super) struct Described;

/// Lists the relations of a model.
#[utoipa::path(get, path = "/v1/models/{model}/relations", responses((status = 200, body = Page<RelationInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().relations(&model).await?, &query)
}

/// Shows a relation.
#[utoipa::path(get, path = "/v1/models/{model}/relations/{relation}", responses((status = 200, body = RelationInfo)))]
async fn show(
    State(state): State<ServerState>,
    InRelation(model, relation): InRelation,
) -> Result<Json<RelationInfo>, Answer> {
    Ok(Json(state.store().relation(&model, relation).await?))
}
