//! Charms: upload and list.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, header};
use axum::routing::{get, post};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use periapt_model::charm::CharmInfo;
use periapt_wire::Problem;
use serde::Deserialize;

use super::Row;
use super::extract::{InModel, Query};
use super::problem::Answer;
use crate::charms;
use crate::state::ServerState;

/// Bytes of an archive.
pub const ARCHIVE_BYTES: usize = 128 << 20;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models/{model}/charms", get(list)),
        (Method::POST, "/v1/models/{model}/charms", post(upload)),
    ]
}

async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Vec<CharmInfo>>, Answer> {
    Ok(Json(state.store().charms(&model).await?))
}

/// `?name`, the file's name as the client has it: for messages only, the archive names itself.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Upload {
    name: Option<String>,
}

async fn upload(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<Upload>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<CharmInfo>, Answer> {
    // The semaphore is never closed; without a permit the bound is all that is missing.
    let waiting = state.observation().metrics.upload_waits();
    let _turn = state.uploads().acquire().await;
    drop(waiting);
    let archive = collect(&headers, body, ARCHIVE_BYTES).await?;
    let charm = charms::upload(&state, &model, archive).await.map_err(|error| {
        tracing::info!(%model, file = query.name.as_deref().unwrap_or_default(), %error, "charm refused");
        Answer::from(error)
    })?;
    Ok(Json(charm))
}

/// The body, or the exact reason why not. A claimed length is believed only when it refuses.
async fn collect(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Answer> {
    let too_large = || {
        Answer(
            Problem::new(413, "charm-too-large", "The charm was refused")
                .why(format!("the archive is larger than {limit} bytes"))
                .advice("make the archive smaller"),
        )
    };
    let claimed = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if claimed.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    let mut collected = BytesMut::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            Answer(
                Problem::new(400, "upload-interrupted", "The upload broke off")
                    .why(error.to_string())
                    .advice("try again"),
            )
        })?;
        if collected.len() + chunk.len() > limit {
            return Err(too_large());
        }
        collected.extend_from_slice(&chunk);
    }
    if collected.is_empty() {
        return Err(Answer(
            Problem::new(400, "body-missing", "The charm was refused")
                .why("the request has no body")
                .advice("send the .charm file's bytes as the body"),
        ));
    }
    Ok(collected.freeze())
}
