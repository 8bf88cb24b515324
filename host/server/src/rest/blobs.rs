//! `GET /v1/models/{model}/blobs/{digest}`: what an agent of the model downloads.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use periapt_wire::access::Visitor;
use periapt_wire::rest::paths;
use utoipa_axum::routes;

use super::extract::InModel;
use super::problem::Answer;
use super::route::{Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(Visitor::AgentOfModel, routes!(blob))]
}

/// Downloads a charm's archive or compiled component.
///
/// For the agents of the model: `{digest}` is the SHA-256 of an archive, or that and the hash of an engine with a dot between.
#[utoipa::path(get, path = paths::BLOB.text, operation_id = "downloadBlob", responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
async fn blob(
    State(state): State<ServerState>,
    InModel(model): InModel,
    path: Path<(String, String)>,
) -> Result<impl IntoResponse, Answer> {
    let Path((_, digest)) = path;
    let bytes = crate::blobs::read(&state, &model, &digest).await?;
    // Content never changes under its digest; a compiled form may, with its compiler.
    let cache = if digest.contains('.') {
        "no-cache"
    } else {
        "private, immutable, max-age=31536000"
    };
    Ok((
        [
            (header::CONTENT_TYPE, "application/octet-stream"),
            (header::CACHE_CONTROL, cache),
        ],
        bytes,
    ))
}
