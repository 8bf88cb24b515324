//! Resources of applications: what is attached, and how files come in.

use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use periapt_model::bounds::RESOURCE_BYTES;
use periapt_model::{ModelUuid, Refusal};
use periapt_store::Staging;
use periapt_wire::Problem;
use periapt_wire::rest::{
    ApplicationResources, AttachedResource, ResourceUpload, UploadedResource, paths,
};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{InApplication, InModel, Query};
use super::incoming::{Incoming, collect, digests, held_against};
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use super::users::person;
use crate::identity::Identity;
use crate::shares::Share;
use crate::state::ServerState;

/// What comes in here.
const RESOURCE: Incoming = Incoming {
    what: "the file",
    refused: "The resource was refused",
    most: RESOURCE_BYTES.most,
    too_large: Refusal::ResourceTooLarge,
    mismatch: Refusal::ResourceDigestMismatch,
};

/// The content type of a file: what no form of another site is sent with.
const BYTES: &str = "application/octet-stream";

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)),
        row(WRITE, routes!(attach)).upload(),
        row(WRITE, routes!(upload)).upload(),
    ]
}

/// Lists the resources of an application, with what is attached and which revision its units have.
#[utoipa::path(get, path = paths::APPLICATION_RESOURCES.text, responses((status = 200, body = ApplicationResources)))]
async fn list(
    State(state): State<ServerState>,
    InApplication(model, application): InApplication,
) -> Result<Json<ApplicationResources>, Answer> {
    Ok(Json(state.store().resources(&model, &application).await?))
}

/// Attaches a file to an application.
///
/// The body is the file, at most 128 MiB. It is the next revision of the resource, and units run
/// `upgrade-charm`; the same bytes again change nothing.
#[utoipa::path(
    put,
    path = paths::APPLICATION_RESOURCE.text, operation_id = "attachResource",
    params(ResourceUpload),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = AttachedResource))
)]
async fn attach(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InApplication(model, application): InApplication,
    Named(name): Named,
    Query(query): Query<ResourceUpload>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<AttachedResource>, Answer> {
    // Nobody sends a hundred MiB to be told that the name was wrong.
    let store = state.store();
    store.require_resource(&model, &application, &name).await?;
    let by = person(identity.clone())?;
    let (staged, share) = receive(&state, &identity, &query, &headers, body).await?;
    let sha256 = staged.keep().await?;
    drop(share);
    let attached = changed(store.attach_resource(&model, &application, &name, &by, &sha256)).await;
    if attached.is_err() {
        forget(&state, &model, &sha256).await;
    }
    attached
}

/// Uploads a file for an application that is deployed or refreshed next.
///
/// The body is the file, at most 128 MiB. `id` of the answer is what `resources` of a deployment or a
/// refresh names it by; what nobody names is forgotten after a day.
#[utoipa::path(
    post,
    path = paths::RESOURCES.text, operation_id = "uploadResource",
    params(ResourceUpload),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = UploadedResource))
)]
async fn upload(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    InModel(model): InModel,
    Query(query): Query<ResourceUpload>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<UploadedResource>, Answer> {
    let by = person(identity.clone())?;
    let (staged, share) = receive(&state, &identity, &query, &headers, body).await?;
    let sha256 = staged.keep().await?;
    drop(share);
    let store = state.store();
    let uploaded = changed(store.add_resource_upload(&model, &by, &sha256)).await;
    if uploaded.is_err() {
        forget(&state, &model, &sha256).await;
    }
    uploaded
}

/// The whole file with the share that it takes of what is coming in.
async fn receive(
    state: &ServerState,
    identity: &Identity,
    query: &ResourceUpload,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Staging, Share), Answer> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim() != BYTES {
        return Err(Answer(
            Problem::new(Refusal::BodyNotFile)
                .titled(RESOURCE.refused)
                .why(format!("its content type is \"{kind}\"")),
        ));
    }
    let digests = digests(query.sha256.as_deref(), headers)?;
    let share = state.staged().of(identity);
    let received = collect(state.store().stage(), share, headers, body, &RESOURCE).await?;
    held_against(&received.0, &digests, &RESOURCE)?;
    Ok(received)
}

/// Nothing refers to bytes that were stored and then refused.
async fn forget(state: &ServerState, model: &ModelUuid, sha256: &str) {
    if let Err(error) = state.store().drop_refused_resource(sha256).await {
        tracing::warn!(%model, sha256, %error, "the bytes of a refused resource stay");
    }
}

/// `{resource}`, as it was written: the charm says which there are.
struct Named(String);

impl FromRequestParts<ServerState> for Named {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let path = Path::<(String, String, String)>::from_request_parts(parts, state).await;
        let missing = "the name of the resource cannot be read";
        match path {
            Ok(Path((_, _, name))) => Ok(Named(name)),
            Err(_) => Err(Answer(Problem::new(Refusal::PathInvalid).why(missing))),
        }
    }
}
