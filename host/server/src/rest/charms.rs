//! Charms: upload, list, look at, download.

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::IntoResponse;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use periapt_model::charm::CharmInfo;
use periapt_model::refusal::Subject;
use periapt_model::{Digest, Refusal};
use periapt_store::{Staging, Store, StoreError};
use periapt_wire::Problem;
use periapt_wire::rest::{ListQuery, Page, paths};
use serde::Deserialize;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{InCharm, InModel, Query};
use super::page::page;
use super::problem::{Answer, busy, too_slow};
use super::route::{READ, Row, WRITE, row};
use super::users::person;
use crate::charms;
use crate::identity::Identity;
use crate::listener::BodyError;
use crate::shares::Share;
use crate::state::ServerState;

/// Bytes of an archive.
pub const ARCHIVE_BYTES: u64 = 128 << 20;

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
        row(WRITE, routes!(upload)).upload().never_blocked(),
        row(READ, routes!(show)),
        row(READ, routes!(archive)),
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
    path = paths::CHARM_ARCHIVE.text,
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
    /// The file's name as the client has it: for the log only, the archive names itself.
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
    path = paths::CHARMS.text,
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
    let digests = digests(&query, &headers)?;
    let share = state.staged().of(&identity);
    let (staged, share) =
        collect(state.store().stage(), share, &headers, body, ARCHIVE_BYTES).await?;
    let found = staged.digest();
    if let Some(wanted) = digests.iter().find(|digest| **digest != found) {
        return Err(Answer(
            Problem::new(Refusal::CharmDigestMismatch)
                .titled("The charm was refused")
                .why(format!("its SHA-256 is {found}, the request says {wanted}")),
        ));
    }
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

/// The SHA-256 that the request claims, in each of the ways there are.
fn digests(query: &Upload, headers: &HeaderMap) -> Result<Vec<Digest>, Answer> {
    let invalid = |why: String| {
        Answer(
            Problem::new(Refusal::DigestInvalid)
                .titled("The digest cannot be read")
                .why(why),
        )
    };
    let mut found = Vec::new();
    if let Some(text) = &query.sha256 {
        let digest = text.parse();
        found.push(digest.map_err(|_| invalid(format!("\"{text}\" is not a SHA-256")))?);
    }
    for name in ["content-digest", "digest"] {
        for value in headers.get_all(name) {
            let text = value.to_str().unwrap_or_default();
            for part in text.split(',').map(str::trim) {
                // Other algorithms are for others.
                let Some((algorithm, digest)) = part.split_once('=') else {
                    return Err(invalid(format!("\"{part}\" in {name} has no algorithm")));
                };
                if !algorithm.eq_ignore_ascii_case("sha-256") {
                    continue;
                }
                let bytes = BASE64_STANDARD.decode(digest.trim_matches(':'));
                let bytes = bytes
                    .ok()
                    .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
                let bytes =
                    bytes.ok_or_else(|| invalid(format!("\"{digest}\" is not a SHA-256")))?;
                found.push(bytes.into());
            }
        }
    }
    Ok(found)
}

/// The body with the share that it takes of what is coming in, or the exact reason why not. A
/// claimed length is believed only when it refuses.
async fn collect(
    mut staged: Staging,
    mut share: Share,
    headers: &HeaderMap,
    body: Body,
    limit: u64,
) -> Result<(Staging, Share), Answer> {
    let too_large = || {
        Answer(
            Problem::new(Refusal::CharmTooLarge)
                .titled("The charm was refused")
                .why(format!("the archive is larger than {limit} bytes")),
        )
    };
    let claimed = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if claimed.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            if BodyError::is_slow(&error) {
                return too_slow();
            }
            Answer(
                Problem::new(Refusal::UploadInterrupted)
                    .titled("The upload broke off")
                    .why(error.to_string()),
            )
        })?;
        if staged.size() + chunk.len() as u64 > limit {
            return Err(too_large());
        }
        share.take(chunk.len() as u64).map_err(busy)?;
        staged.push(&chunk).await?;
    }
    if staged.size() == 0 {
        return Err(Answer(
            Problem::new(Refusal::BodyMissing)
                .titled("The charm was refused")
                .why("the request has no body"),
        ));
    }
    Ok((staged, share))
}
