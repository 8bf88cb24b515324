//! Models: list, add, look at, destroy, configure.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_model::constraints::Constraints;
use periapt_store::Setter;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    AddModel, ConfigChange, ConfigSetting, ConfigSettings, ControllerAccess, ListQuery,
    ModelConstraints, ModelSummary, Page, SetConstraints, paths,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, changed_to};
use super::conditions::About;
use super::extract::{Body, InModel, Query, flag};
use super::page::page;
use super::problem::{Answer, forbidden};
use super::route::{ADMIN, READ, Row, WRITE, row};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(list)).lists::<ModelSummary>(),
        row(Visitor::Superuser, routes!(add)).creates(paths::MODEL, &["/uuid"]),
        row(READ, routes!(show)).about(About::Model),
        row(ADMIN, routes!(destroy))
            .about(About::Model)
            .destroys()
            .begins(),
        row(READ, routes!(config)).about(About::ModelConfig),
        row(ADMIN, routes!(set_config)).about(About::ModelConfig),
        row(READ, routes!(constraints)),
        row(WRITE, routes!(set_constraints)),
    ]
}

/// Lists the models.
///
/// Those that the visitor may read.
#[utoipa::path(get, path = paths::MODELS.text, params(ListQuery), responses((status = 200, body = Page<ModelSummary>)))]
async fn list(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    page(state.store().readable_models(&name).await?, &query)
}

/// Adds a model.
#[utoipa::path(post, path = paths::MODELS.text, request_body = AddModel, responses((status = 200, body = ModelSummary)))]
async fn add(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Body(request): Body<AddModel>,
) -> Result<Json<ModelSummary>, Answer> {
    let Identity::User { name } = identity else {
        return Err(forbidden());
    };
    changed(state.store().add_model(request, &name)).await
}

/// Shows a model.
#[utoipa::path(get, path = paths::MODEL.text, responses((status = 200, body = ModelSummary)))]
async fn show(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<ModelSummary>, Answer> {
    Ok(Json(state.store().model_summary(&model).await?))
}

/// `?force&timeout-ms&destroy-storage`
#[derive(Deserialize, Default, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
struct Destroy {
    /// Remove it even if hooks fail or agents are gone.
    #[serde(deserialize_with = "flag")]
    force: bool,
    /// How long each phase of a forced removal may take, in milliseconds.
    #[serde(rename = "timeout-ms")]
    timeout_ms: Option<u64>,
    /// What becomes of storage that outlives units: `true` to destroy it, `false` to give its directories up and keep
    /// them. Left out, a model that has some stays.
    #[serde(rename = "destroy-storage")]
    destroy_storage: Option<bool>,
}

/// Begins to destroy a model and everything in it.
///
/// With `force`, what is not gone after `timeout-ms` is removed anyway.
#[utoipa::path(delete, path = paths::MODEL.text, operation_id = "destroyModel", params(Destroy), responses((status = 200, body = ModelSummary)))]
async fn destroy(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<Destroy>,
) -> Result<Json<ModelSummary>, Answer> {
    let destroyed = state.store().destroy_model_with(
        &model,
        query.force,
        query.timeout_ms,
        query.destroy_storage,
    );
    changed(destroyed).await
}

/// Shows a model's options.
///
/// All of them, each with where its value comes from. The value of a secret is never shown.
#[utoipa::path(get, path = paths::MODEL_CONFIG.text, responses((status = 200, body = BTreeMap<String, ConfigSetting>)))]
async fn config(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<ConfigSettings>, Answer> {
    Ok(Json(state.store().model_settings(&model).await?))
}

/// Changes a model's options, all of the change or nothing of it.
///
/// `syslog-host` may name any host when a superuser sets it, else one of the controller's
/// `syslog-allowed-hosts`.
#[utoipa::path(patch, path = paths::MODEL_CONFIG.text, request_body = ConfigChange, responses((status = 200, body = BTreeMap<String, ConfigSetting>)))]
async fn set_config(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(identity): Extension<Identity>,
    Body(change): Body<ConfigChange>,
) -> Result<Json<ConfigSettings>, Answer> {
    let store = state.store();
    let access = match &identity {
        Identity::User { name } => store.standing(name).await?,
        Identity::Agent { .. } | Identity::Controller { .. } => return Err(forbidden()),
    };
    let setter = match access {
        Some(ControllerAccess::Superuser) => Setter::Superuser,
        _ => Setter::Admin,
    };
    changed(store.set_model_config(&model, change, setter)).await
}

/// Shows what machines of a model have to be like.
#[utoipa::path(get, path = paths::MODEL_CONSTRAINTS.text, responses((status = 200, body = ModelConstraints)))]
async fn constraints(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<ModelConstraints>, Answer> {
    let found = state.store().model_constraints(&model).await?;
    Ok(Json(shown(&found)))
}

/// Says what machines of a model have to be like that are made from now on.
///
/// As far as an application says nothing else. In the place of what was said before: nothing for no constraints.
#[utoipa::path(put, path = paths::MODEL_CONSTRAINTS.text, request_body = SetConstraints, responses((status = 200, body = ModelConstraints)))]
async fn set_constraints(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<SetConstraints>,
) -> Result<Json<ModelConstraints>, Answer> {
    let set = state
        .store()
        .set_model_constraints(&model, &request.constraints);
    changed_to(set, shown).await
}

fn shown(constraints: &Constraints) -> ModelConstraints {
    ModelConstraints {
        constraints: constraints.to_string(),
    }
}
