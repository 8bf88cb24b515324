//! Storage of a model, and the pools that it is made of.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::ModelUuid;
use periapt_model::storage::Removal;
use periapt_wire::rest::{
    AddStorage, AttachStorage, DetachStorage, ImportFilesystem, ListQuery, NewStoragePool, Page,
    StorageInfo, StoragePoolInfo, StorageQuery, StorageRemoval, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::extract::{Body, InModel, InStorage, InUnit, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)),
        row(WRITE, routes!(import)).creates(paths::STORAGE_OF, &["/id"]),
        row(READ, routes!(show)),
        row(WRITE, routes!(remove)).removes().begins(),
        row(WRITE, routes!(attach)),
        row(WRITE, routes!(detach)).begins(),
        row(WRITE, routes!(add)).creates(paths::STORAGE, &[]),
        row(READ, routes!(pools)).lists::<StoragePoolInfo>(),
        row(WRITE, routes!(create_pool)).creates(paths::STORAGE_POOLS, &[]),
        row(WRITE, routes!(remove_pool)).removes(),
    ]
}

/// Lists the storage of a model.
#[utoipa::path(get, path = paths::STORAGE.text, params(StorageQuery), responses((status = 200, body = Page<StorageInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<StorageQuery>,
) -> Result<Json<Page<StorageInfo>>, Answer> {
    Ok(Json(state.store().storages(&model, &query).await?))
}

/// Makes a directory that was given up a storage again.
///
/// It belongs to nobody until it is attached to a unit.
#[utoipa::path(post, path = paths::STORAGE.text, operation_id = "importStorage", request_body = ImportFilesystem, responses((status = 200, body = StorageInfo)))]
async fn import(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<ImportFilesystem>,
) -> Result<Json<StorageInfo>, Answer> {
    changed(state.store().import_filesystem(&model, request)).await
}

/// Shows a storage.
#[utoipa::path(get, path = paths::STORAGE_OF.text, responses((status = 200, body = StorageInfo)))]
async fn show(
    State(state): State<ServerState>,
    InStorage(model, storage): InStorage,
) -> Result<Json<StorageInfo>, Answer> {
    Ok(Json(state.store().storage(&model, &storage).await?))
}

/// Begins to remove a storage, with what is in it.
///
/// Refused while units have it, unless with `force`: then they let go of it first. With `no-destroy` its directory
/// stays and can be imported again.
#[utoipa::path(delete, path = paths::STORAGE_OF.text, params(StorageRemoval), responses((status = 200, body = Empty)))]
async fn remove(
    State(state): State<ServerState>,
    InStorage(model, storage): InStorage,
    Query(query): Query<StorageRemoval>,
) -> Result<Json<Empty>, Answer> {
    let removal = Removal {
        force: query.force,
        destroy: !query.no_destroy,
    };
    done(state.store().remove_storage(&model, &storage, removal)).await
}

/// Gives a unit a storage that no unit has.
#[utoipa::path(post, path = paths::STORAGE_ATTACH.text, request_body = AttachStorage, responses((status = 200, body = StorageInfo)))]
async fn attach(
    State(state): State<ServerState>,
    InStorage(model, storage): InStorage,
    Body(request): Body<AttachStorage>,
) -> Result<Json<StorageInfo>, Answer> {
    let store = state.store();
    changed(store.attach_storage(&model, &storage, &request.unit)).await
}

/// Has the unit that has a storage let go of it.
///
/// Refused where its charm needs it, unless with `force`. The storage is free once the unit's hook has run.
#[utoipa::path(post, path = paths::STORAGE_DETACH.text, request_body = DetachStorage, responses((status = 200, body = StorageInfo)))]
async fn detach(
    State(state): State<ServerState>,
    InStorage(model, storage): InStorage,
    Body(request): Body<DetachStorage>,
) -> Result<Json<StorageInfo>, Answer> {
    let store = state.store();
    changed(store.detach_storage(&model, &storage, request.force)).await
}

/// Gives a unit more of a storage that its charm declares.
#[utoipa::path(post, path = paths::UNIT_STORAGE.text, request_body = AddStorage, responses((status = 200, body = Vec<StorageInfo>)))]
async fn add(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<AddStorage>,
) -> Result<Json<Vec<StorageInfo>>, Answer> {
    changed(state.store().add_storage(&model, &unit, request)).await
}

/// Lists the pools of a model, those that every model has among them.
#[utoipa::path(get, path = paths::STORAGE_POOLS.text, params(ListQuery), responses((status = 200, body = Page<StoragePoolInfo>)))]
async fn pools(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().storage_pools(&model).await?, &query)
}

/// Adds a pool.
#[utoipa::path(post, path = paths::STORAGE_POOLS.text, request_body = NewStoragePool, responses((status = 200, body = StoragePoolInfo)))]
async fn create_pool(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<NewStoragePool>,
) -> Result<Json<StoragePoolInfo>, Answer> {
    changed(state.store().create_storage_pool(&model, request)).await
}

/// Removes a pool of which nothing was made and nothing is to be made.
#[utoipa::path(delete, path = paths::STORAGE_POOL.text, responses((status = 200, body = Empty)))]
async fn remove_pool(
    State(state): State<ServerState>,
    OfPool(model, pool): OfPool,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_storage_pool(&model, &pool)).await
}

/// `{model}` and `{pool}` of the path.
struct OfPool(ModelUuid, String);

impl FromRequestParts<ServerState> for OfPool {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let InModel(model) = InModel::from_request_parts(parts, state).await?;
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let pool = path.map(|Path((_, pool))| pool).unwrap_or_default();
        Ok(OfPool(model, pool))
    }
}
