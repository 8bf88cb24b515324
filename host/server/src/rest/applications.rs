//! Applications: deploy, look at, configure, refresh, scale, remove.

use axum::Json;
use axum::extract::State;
use axum::http::Method;
use axum::routing::{delete, get, patch, post};
use periapt_model::UnitName;
use periapt_wire::rest::{
    AddUnits, ApplicationConfig, ApplicationInfo, ConfigChange, Deploy, Refresh, Removal,
};

use super::Row;
use super::extract::{Body, Force, InApplication, InModel, Query};
use super::problem::Answer;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models/{model}/applications", get(list)),
        (
            Method::POST,
            "/v1/models/{model}/applications",
            post(deploy),
        ),
        (
            Method::GET,
            "/v1/models/{model}/applications/{name}",
            get(show),
        ),
        (
            Method::DELETE,
            "/v1/models/{model}/applications/{name}",
            delete(remove),
        ),
        (
            Method::GET,
            "/v1/models/{model}/applications/{name}/config",
            get(config),
        ),
        (
            Method::PATCH,
            "/v1/models/{model}/applications/{name}/config",
            patch(set_config),
        ),
        (
            Method::POST,
            "/v1/models/{model}/applications/{name}/refresh",
            post(refresh),
        ),
        (
            Method::POST,
            "/v1/models/{model}/applications/{name}/units",
            post(add_units),
        ),
    ]
}

async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Vec<ApplicationInfo>>, Answer> {
    Ok(Json(state.store().applications(&model).await?))
}

async fn deploy(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<Deploy>,
) -> Result<Json<ApplicationInfo>, Answer> {
    Ok(Json(state.store().deploy(&model, request).await?))
}

async fn show(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
) -> Result<Json<ApplicationInfo>, Answer> {
    Ok(Json(state.store().application(&model, &name).await?))
}

async fn remove(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Query(Force { force }): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    Ok(Json(
        state
            .store()
            .remove_application(&model, &name, force)
            .await?,
    ))
}

async fn config(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
) -> Result<Json<ApplicationConfig>, Answer> {
    Ok(Json(state.store().application_config(&model, &name).await?))
}

async fn set_config(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(change): Body<ConfigChange>,
) -> Result<Json<ApplicationConfig>, Answer> {
    Ok(Json(
        state
            .store()
            .set_application_config(&model, &name, change)
            .await?,
    ))
}

async fn refresh(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<Refresh>,
) -> Result<Json<ApplicationInfo>, Answer> {
    Ok(Json(state.store().refresh(&model, &name, request).await?))
}

async fn add_units(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<AddUnits>,
) -> Result<Json<Vec<UnitName>>, Answer> {
    Ok(Json(
        state
            .store()
            .add_units(&model, &name, request.count)
            .await?,
    ))
}
