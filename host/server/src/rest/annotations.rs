//! Annotations: what people note of a model and of what is in it.

use axum::Json;
use axum::extract::State;
use periapt_wire::rest::{AnnotationQuery, EntityAnnotations, Page, SetAnnotations, paths};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(list)), row(WRITE, routes!(set))]
}

/// Lists what is noted of a model, its applications, units and machines, or of one of them.
#[utoipa::path(get, path = paths::ANNOTATIONS.text, params(AnnotationQuery), responses((status = 200, body = Page<EntityAnnotations>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<AnnotationQuery>,
) -> Result<Json<Page<EntityAnnotations>>, Answer> {
    Ok(Json(state.store().annotations(&model, &query).await?))
}

/// Notes something of a model, an application, a unit or a machine, or forgets it.
///
/// All of the request or nothing of it. An empty text removes its key, and all keys go with what they are about.
#[utoipa::path(patch, path = paths::ANNOTATIONS.text, operation_id = "annotateEntity", request_body = SetAnnotations, responses((status = 200, body = EntityAnnotations)))]
async fn set(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<SetAnnotations>,
) -> Result<Json<EntityAnnotations>, Answer> {
    changed(state.store().set_annotations(&model, request)).await
}
