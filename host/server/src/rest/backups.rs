//! `/v1/backups`: backups of the controller, kept by the process that is asked. A backup holds
//! the controller's keys and everybody's secrets, so superusers alone come here.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{Backup, ListQuery, Page, paths};
use serde_json::Value;
use tokio_util::io::ReaderStream;
use utoipa_axum::routes;

use super::extract::Query;
use super::page::page;
use super::problem::Answer;
use super::route::{Row, row};
use crate::backups::BackupError;
use crate::state::ServerState;

/// Bytes handed on at a time.
const PART: usize = 64 << 10;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(list)).lists::<Backup>(),
        row(Visitor::Superuser, routes!(create)).creates(paths::BACKUP, &["/id"]),
        row(Visitor::Superuser, routes!(download)),
        row(Visitor::Superuser, routes!(remove)),
    ]
}

/// Lists the backups, oldest first.
#[utoipa::path(get, path = paths::BACKUPS.text, params(ListQuery), responses((status = 200, body = Page<Backup>)))]
async fn list(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.backups().list().await?, &query)
}

/// Makes a backup.
///
/// It holds the database, the charms, the controller's keys and the files of units at one moment,
/// while everything goes on. The answer comes once it is on the disk; one is made at a time.
#[utoipa::path(post, path = paths::BACKUPS.text, operation_id = "createBackup", responses((status = 200, body = Backup)))]
async fn create(State(state): State<ServerState>) -> Result<Json<Backup>, Answer> {
    Ok(Json(state.backups().create().await?))
}

/// Downloads a backup.
///
/// Keep it where nobody else can read it: it holds the controller's keys.
#[utoipa::path(get, path = paths::BACKUP.text, operation_id = "downloadBackup", responses((status = 200, body = Vec<u8>, content_type = "application/zip")))]
async fn download(
    State(state): State<ServerState>,
    path: Path<(String,)>,
) -> Result<impl IntoResponse, Answer> {
    let Path((id,)) = path;
    let (backup, file) = state.backups().open(&id).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_LENGTH, backup.size.to_string()),
        (header::ETAG, format!("\"{}\"", backup.sha256)),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"periapt-backup-{}.zip\"", backup.id),
        ),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    let body = Body::from_stream(ReaderStream::with_capacity(file, PART));
    Ok((headers, body))
}

/// Removes a backup.
#[utoipa::path(delete, path = paths::BACKUP.text, responses((status = 200, body = Backup)))]
async fn remove(
    State(state): State<ServerState>,
    path: Path<(String,)>,
) -> Result<Json<Backup>, Answer> {
    let Path((id,)) = path;
    Ok(Json(state.backups().remove(&id).await?))
}

impl From<BackupError> for Answer {
    fn from(error: BackupError) -> Self {
        let error = match error {
            BackupError::Store(error) => return error.into(),
            other => other,
        };
        let refusal = error.refusal();
        if refusal.status() >= 500 {
            tracing::error!(%error, "a backup failed");
        }
        Answer(Problem::new(refusal).why(error.to_string()))
    }
}
