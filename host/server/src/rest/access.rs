//! `/v1/users/{user}/access` and `/v1/models/{model}/access`: giving and taking. A `PUT` gives at
//! least what it says; a `DELETE` takes that and all above it, and leaves what is below.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{delete, get, put};
use periapt_wire::rest::{
    ControllerAccess, Grant, GrantModel, ModelAccess, ModelPermission, UserInfo,
};

use super::Row;
use super::extract::{Body, InModel, MaybeBody, OfUser};
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::PUT, "/v1/users/{user}/access", put(grant)),
        (Method::DELETE, "/v1/users/{user}/access", delete(revoke)),
        (Method::GET, "/v1/models/{model}/access", get(of_model)),
        (
            Method::PUT,
            "/v1/models/{model}/access/{user}",
            put(grant_model),
        ),
        (
            Method::DELETE,
            "/v1/models/{model}/access/{user}",
            delete(revoke_model),
        ),
    ]
}

async fn grant(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Body(request): Body<Grant>,
) -> Result<Json<UserInfo>, Answer> {
    Ok(Json(
        state
            .store()
            .grant_controller(&user, request.access)
            .await?,
    ))
}

async fn revoke(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    MaybeBody(request): MaybeBody<Grant>,
) -> Result<Json<UserInfo>, Answer> {
    let access = request.map_or(ControllerAccess::Superuser, |request| request.access);
    Ok(Json(state.store().revoke_controller(&user, access).await?))
}

async fn of_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Vec<ModelAccess>>, Answer> {
    Ok(Json(state.store().model_access(&model).await?))
}

async fn grant_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfUser(user): OfUser,
    Body(request): Body<GrantModel>,
) -> Result<Json<ModelAccess>, Answer> {
    Ok(Json(
        state
            .store()
            .grant_model(&model, &user, request.access)
            .await?,
    ))
}

async fn revoke_model(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfUser(user): OfUser,
    MaybeBody(request): MaybeBody<GrantModel>,
) -> Result<Json<ModelAccess>, Answer> {
    let access = request.map_or(ModelPermission::Read, |request| request.access);
    Ok(Json(
        state.store().revoke_model(&model, &user, access).await?,
    ))
}
