//! `/v1/users/{user}/access` and `/v1/models/{model}/access`: giving and taking. A `PUT` gives at
//! least what it says; a `DELETE` takes that and all above it, and leaves what is below.

use axum::Json;
use axum::extract::State;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    ControllerAccess, Grant, GrantModel, ListQuery, ModelAccess, ModelPermission, Page, UserInfo,
    paths,
};
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, InModel, MaybeBody, OfUser, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{ADMIN, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(grant)),
        row(Visitor::Superuser, routes!(revoke)),
        row(ADMIN, routes!(of_model)).lists::<ModelAccess>(),
        // A block is about the model, not about who may do what in it.
        row(ADMIN, routes!(grant_model)).never_blocked(),
        row(ADMIN, routes!(revoke_model)).never_blocked(),
    ]
}

/// Gives a user an access to the controller.
///
/// The user has at least this access afterwards: one that is higher stays.
#[utoipa::path(put, path = paths::USER_ACCESS.text, operation_id = "grantUserAccess", request_body = Grant, responses((status = 200, body = UserInfo)))]
async fn grant(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Body(request): Body<Grant>,
) -> Result<Json<UserInfo>, Answer> {
    changed(state.store().grant_controller(&user, request.access)).await
}

/// Takes an access to the controller from a user.
///
/// All above it goes too, what is below stays. Without a body it is `superuser`.
#[utoipa::path(delete, path = paths::USER_ACCESS.text, operation_id = "revokeUserAccess", request_body = Grant, responses((status = 200, body = UserInfo)))]
async fn revoke(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    MaybeBody(request): MaybeBody<Grant>,
) -> Result<Json<UserInfo>, Answer> {
    let access = request.map_or(ControllerAccess::Superuser, |request| request.access);
    changed(state.store().revoke_controller(&user, access)).await
}

/// Lists who may do what in a model.
#[utoipa::path(get, path = paths::MODEL_ACCESS.text, operation_id = "listModelAccess", params(ListQuery), responses((status = 200, body = Page<ModelAccess>)))]
async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().model_access(&model).await?, &query)
}

/// Gives a user an access to a model.
///
/// The user has at least this access afterwards: one that is higher stays.
#[utoipa::path(put, path = paths::MODEL_ACCESS_OF.text, operation_id = "grantModelAccess", request_body = GrantModel, responses((status = 200, body = ModelAccess)))]
async fn grant_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfUser(user): OfUser,
    Body(request): Body<GrantModel>,
) -> Result<Json<ModelAccess>, Answer> {
    changed(state.store().grant_model(&model, &user, request.access)).await
}

/// Takes an access to a model from a user.
///
/// All above it goes too, what is below stays. Without a body the whole access goes.
#[utoipa::path(delete, path = paths::MODEL_ACCESS_OF.text, operation_id = "revokeModelAccess", request_body = GrantModel, responses((status = 200, body = ModelAccess)))]
async fn revoke_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfUser(user): OfUser,
    MaybeBody(request): MaybeBody<GrantModel>,
) -> Result<Json<ModelAccess>, Answer> {
    let access = request.map_or(ModelPermission::Read, |request| request.access);
    changed(state.store().revoke_model(&model, &user, access)).await
}
