//! Models: list, add, look at, destroy, configure.

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::Method;
use axum::routing::{delete, get, patch, post};
use periapt_model::config::Values;
use periapt_wire::rest::{AddModel, ConfigChange, ModelSummary};
use serde::Deserialize;

use super::Row;
use super::extract::{Body, InModel, Query, flag};
use super::problem::{Answer, forbidden};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        (Method::GET, "/v1/models", get(list)),
        (Method::POST, "/v1/models", post(add)),
        (Method::GET, "/v1/models/{model}", get(show)),
        (Method::DELETE, "/v1/models/{model}", delete(destroy)),
        (Method::GET, "/v1/models/{model}/config", get(config)),
        (
            Method::PATCH,
            "/v1/models/{model}/config",
            patch(set_config),
        ),
    ]
}

async fn list(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Vec<ModelSummary>>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    Ok(Json(state.store().readable_models(&name).await?))
}

async fn add(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Body(request): Body<AddModel>,
) -> Result<Json<ModelSummary>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    Ok(Json(state.store().add_model(request, &name).await?))
}

async fn show(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<ModelSummary>, Answer> {
    Ok(Json(state.store().model_summary(&model).await?))
}

/// `?force&timeout_ms`
#[derive(Deserialize, Default)]
#[serde(default)]
struct Destroy {
    #[serde(deserialize_with = "flag")]
    force: bool,
    timeout_ms: Option<u64>,
}

async fn destroy(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<Destroy>,
) -> Result<Json<ModelSummary>, Answer> {
    Ok(Json(
        state
            .store()
            .destroy_model(&model, query.force, query.timeout_ms)
            .await?,
    ))
}

async fn config(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<Values>, Answer> {
    Ok(Json(state.store().model_config(&model).await?))
}

async fn set_config(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(change): Body<ConfigChange>,
) -> Result<Json<Values>, Answer> {
    Ok(Json(state.store().set_model_config(&model, change).await?))
}
