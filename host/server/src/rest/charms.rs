//! Charms: upload, list, look at, read about, download.

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures::Stream;
use periapt_model::Refusal;
use periapt_model::charm::{CharmInfo, CharmReadme};
use periapt_model::refusal::Subject;
use periapt_store::{Store, StoreError};
use periapt_wire::Problem;
use periapt_wire::rest::{CharmUpgrade, ListQuery, Page, paths};
use serde::Deserialize;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{InCharm, InModel, Query};
use super::incoming::{Incoming, collect, digests, held_against};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use super::users::person;
use crate::charm_revisions;
use crate::charms;
use crate::identity::Identity;
use crate::state::ServerState;

/// Bytes of an archive.
pub const ARCHIVE_BYTES: u64 = 128 << 20;

/// What comes in here.
const ARCHIVE: Incoming = Incoming {
    what: "the archive",
    refused: "The charm was refused",
    most: ARCHIVE_BYTES,
    too_large: Refusal::CharmTooLarge,
    mismatch: Refusal::CharmDigestMismatch,
};

/// Content types of an archive.
const ARCHIVE_KINDS: &[&str] = &[
    "application/zip",
    "application/octet-stream",
    "application/x-zip-compressed",
];

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<CharmInfo>(),
        // A charm that no application uses yet does nothing. What would use it is held back, and is told why
        // without the bytes of an upload on their way.
        row(WRITE, routes!(upload))
            .upload()
            .creates(paths::CHARM, &["/url"])
            .never_blocked(),
        row(READ, routes!(show)),
        row(READ, routes!(archive)),
        row(READ, routes!(readme)),
        // What is looked for changes nothing that people made.
        row(WRITE, routes!(update_revisions)).never_blocked(),
    ]
}

/// Lists the charms that were uploaded to a model.
#[utoipa::path(get, path = paths::CHARMS.text, params(ListQuery), responses((status = 200, body = Page<CharmInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().charms(&model).await?, &query)
}

/// Shows a charm.
///
/// A revision of a charm never changes; its tag is the digest of its archive.
#[utoipa::path(get, path = paths::CHARM.text, responses((status = 200, body = CharmInfo)))]
async fn show(
    State(state): State<ServerState>,
    InCharm(model, url): InCharm,
) -> Result<impl IntoResponse, Answer> {
    let charm = state.store().get_charm(&model, &url.to_string()).await?;
    let tag = HeaderValue::try_from(format!("\"{}\"", charm.sha256));
    let headers = tag.ok().map(|tag| [(header::ETAG, tag)]);
    Ok((
        headers.map(HeaderMap::from_iter).unwrap_or_default(),
        Json(charm),
    ))
}

/// Downloads a charm.
///
/// The answer is the `.charm` file as it was uploaded; its tag is its SHA-256.
#[utoipa::path(
    get,
    path = paths::CHARM_ARCHIVE.text, operation_id = "downloadCharm",
    responses((status = 200, body = Vec<u8>, content_type = "application/zip"))
)]
async fn archive(
    State(state): State<ServerState>,
    InCharm(model, url): InCharm,
) -> Result<impl IntoResponse, Answer> {
    let store = state.store().clone();
    let charm = store.get_charm(&model, &url.to_string()).await?;
    let gone = || StoreError::NotFound {
        kind: Subject::Charm,
        name: url.to_string(),
    };
    let size = store.blob_size(&charm.sha256).await?.ok_or_else(gone)?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_LENGTH, size.to_string()),
        (header::ETAG, format!("\"{}\"", charm.sha256)),
        (
            header::CONTENT_DISPOSITION,
            format!(
                "attachment; filename=\"{}-{}.charm\"",
                charm.name, charm.revision
            ),
        ),
        // The content of a revision never changes.
        (
            header::CACHE_CONTROL,
            "private, immutable, max-age=31536000".to_owned(),
        ),
    ];
    Ok((headers, Body::from_stream(parts(store, charm.sha256, size))))
}

/// Shows the README of a charm.
///
/// It is the file `README.md` or else `README` of the charm's archive, as plain text: what controls a terminal or
/// cannot be seen is left out, and what is beyond 64 KiB is cut off. Its tag is the digest of the archive.
#[utoipa::path(get, path = paths::CHARM_README.text, responses((status = 200, body = CharmReadme)))]
async fn readme(
    State(state): State<ServerState>,
    InCharm(model, url): InCharm,
) -> Result<impl IntoResponse, Answer> {
    let store = state.store();
    let (digest, readme) = store.charm_readme(&model, &url.to_string()).await?;
    Ok(([(header::ETAG, format!("\"{digest}\""))], Json(readme)))
}

/// The bytes with a digest, part by part. They may go away with the model on the way: the
/// answer then breaks off, which a reader notices by its length.
fn parts(store: Store, digest: String, size: u64) -> impl Stream<Item = Result<Bytes, StoreError>> {
    futures::stream::try_unfold((0, size), move |(part, left)| {
        let (store, digest) = (store.clone(), digest.clone());
        async move {
            if left == 0 {
                return Ok(None);
            }
            let data = store.blob_part(&digest, part).await?;
            let data = data.ok_or(StoreError::NotFound {
                kind: Subject::Blob,
                name: digest,
            })?;
            let left = left.saturating_sub(data.len() as u64);
            Ok(Some((data, (part + 1, left))))
        }
    })
}

#[derive(Deserialize, Default, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct Upload {
    /// The file's name as the client has it: for the logs only, the archive names itself.
    name: Option<String>,
    /// SHA-256 of the body, 64 hexadecimal digits. What does not fit it is refused. The headers
    /// `Content-Digest` and `Digest` say the same.
    sha256: Option<String>,
}

/// Uploads a charm.
///
/// The body is the `.charm` file. The answer comes once the charm is checked and compiled; the
/// same bytes again give the same charm. At most 128 MiB.
#[utoipa::path(
    post,
    path = paths::CHARMS.text, operation_id = "uploadCharm",
    params(Upload),
    request_body(content = Vec<u8>, content_type = "application/zip"),
    responses((status = 200, body = CharmInfo))
)]
async fn upload(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InModel(model): InModel,
    Query(query): Query<Upload>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<CharmInfo>, Answer> {
    is_archive(&headers)?;
    let digests = digests(query.sha256.as_deref(), &headers)?;
    let share = state.staged().of(&identity);
    let (staged, share) = collect(state.store().stage(), share, &headers, body, &ARCHIVE).await?;
    if staged.size() == 0 {
        return Err(Answer(
            Problem::new(Refusal::BodyMissing)
                .titled(ARCHIVE.refused)
                .why("the request has no body"),
        ));
    }
    held_against(&staged, &digests, &ARCHIVE)?;
    let by = person(identity)?;
    let waiting = state.observation().metrics.upload_waits();
    let turn = state.uploads().take(&by).await;
    drop(waiting);
    let archive = staged.take().await?;
    drop(share);
    changed(async {
        let uploaded = charms::upload(&state, &model, archive, turn).await;
        uploaded.inspect_err(|error| {
            tracing::info!(%model, file = query.name.as_deref().unwrap_or_default(), %error, "charm refused");
        })
    })
    .await
}

/// A page of another site can make a browser send a form, not an archive by its name.
fn is_archive(headers: &HeaderMap) -> Result<(), Answer> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if ARCHIVE_KINDS.contains(&kind) {
        return Ok(());
    }
    Err(Answer(
        Problem::new(Refusal::BodyNotArchive)
            .titled("The charm was refused")
            .why(format!("its content type is \"{kind}\"")),
    ))
}

/// Looks for newer revisions of the charms of applications.
///
/// Reads the index of the controller's charm repository now, as is done once a day, and answers with the
/// applications that could be refreshed. Nothing is refreshed.
#[utoipa::path(post, path = paths::CHARM_REVISIONS.text, operation_id = "findCharmUpgrades", responses((status = 200, body = Vec<CharmUpgrade>)))]
async fn update_revisions(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Vec<CharmUpgrade>>, Answer> {
    let index = charm_revisions::index(state.store()).await?;
    let index = index.ok_or_else(|| StoreError::Refused {
        refusal: Refusal::CharmRepositoryMissing,
        message: "the controller has no charm repository".to_owned(),
    })?;
    changed(state.store().note_charm_revisions(&model, index)).await
}
