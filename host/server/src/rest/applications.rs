//! Applications: deploy, look at, configure, refresh, scale, remove.

use axum::extract::State;
use axum::{Extension, Json};
use periapt_model::UnitName;
use periapt_model::removal::Going;
use periapt_wire::rest::{
    AddUnits, ApplicationConfig, ApplicationInfo, ConfigChange, Deploy, Expose, ListQuery, Page,
    Refresh, Removal, Scaled, SetConstraints, SetMeterStatus, SetMinUnits, SetScale, SetTrust,
    Unexpose, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::conditions::About;
use super::extract::{Body, Force, InApplication, InModel, Query};
use super::gate::Pass;
use super::page::page;
use super::problem::Answer;
use super::route::{ADMIN, READ, Row, WRITE, row};
use super::users::person;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<ApplicationInfo>(),
        row(WRITE, routes!(deploy)).creates(paths::APPLICATION, &["/name"]),
        row(READ, routes!(show)).about(About::Application),
        row(WRITE, routes!(remove))
            .about(About::Application)
            .removes()
            .begins(),
        row(READ, routes!(config)).about(About::ApplicationConfig),
        row(WRITE, routes!(set_config)).about(About::ApplicationConfig),
        row(WRITE, routes!(expose)).about(About::Application),
        row(WRITE, routes!(unexpose)).about(About::Application),
        row(WRITE, routes!(refresh)).about(About::Application),
        row(WRITE, routes!(add_units))
            .about(About::Application)
            .creates(paths::UNITS, &[]),
        row(WRITE, routes!(scale))
            .about(About::Application)
            .begins(),
        row(WRITE, routes!(set_constraints)).about(About::Application),
        row(WRITE, routes!(set_meter_status)).about(About::Application),
        row(WRITE, routes!(set_min_units)).about(About::Application),
        row(ADMIN, routes!(set_trust)).about(About::Application),
    ]
}

/// Lists the applications of a model.
#[utoipa::path(get, path = paths::APPLICATIONS.text, params(ListQuery), responses((status = 200, body = Page<ApplicationInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().applications(&model).await?, &query)
}

/// Deploys an uploaded charm as an application.
///
/// `trust` and grants are an admin's word: the credential is that of the model's owner. What the charm declares and is
/// not granted by default has to be granted or denied in `capabilities`.
#[utoipa::path(post, path = paths::APPLICATIONS.text, operation_id = "deployApplication", request_body = Deploy, responses((status = 200, body = ApplicationInfo)))]
async fn deploy(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(pass): Extension<Pass>,
    Extension(identity): Extension<Identity>,
    Body(request): Body<Deploy>,
) -> Result<Json<ApplicationInfo>, Answer> {
    if request.trust || request.capabilities.grants() {
        pass.require(&state, ADMIN).await?;
    }
    let by = person(identity)?;
    changed(state.store().deploy_by(&model, request, by.as_str())).await
}

/// Shows an application.
#[utoipa::path(get, path = paths::APPLICATION.text, responses((status = 200, body = ApplicationInfo)))]
async fn show(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
) -> Result<Json<ApplicationInfo>, Answer> {
    Ok(Json(state.store().application(&model, &name).await?))
}

/// Begins to remove an application.
///
/// Its units run their stop and remove hooks first. With `force` they are removed after a while whether or not they did.
/// Storage that outlives units stays, unless with `destroy-storage`.
#[utoipa::path(delete, path = paths::APPLICATION.text, params(Force), responses((status = 200, body = Removal)))]
async fn remove(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Query(force): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    changed(
        state
            .store()
            .remove_application(&model, &name, force.removal()),
    )
    .await
}

/// Shows an application's options and their values.
#[utoipa::path(get, path = paths::APPLICATION_CONFIG.text, responses((status = 200, body = ApplicationConfig)))]
async fn config(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
) -> Result<Json<ApplicationConfig>, Answer> {
    Ok(Json(state.store().application_config(&model, &name).await?))
}

/// Changes an application's options, all of the change or nothing of it.
#[utoipa::path(patch, path = paths::APPLICATION_CONFIG.text, request_body = ConfigChange, responses((status = 200, body = ApplicationConfig)))]
async fn set_config(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(change): Body<ConfigChange>,
) -> Result<Json<ApplicationConfig>, Answer> {
    changed(state.store().set_application_config(&model, &name, change)).await
}

/// Exposes an application, or endpoints of it, to addresses outside.
///
/// What was said before of the same endpoints is replaced; others stay as they are.
#[utoipa::path(post, path = paths::APPLICATION_EXPOSE.text, request_body = Expose, responses((status = 200, body = ApplicationInfo)))]
async fn expose(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<Expose>,
) -> Result<Json<ApplicationInfo>, Answer> {
    changed(state.store().expose(&model, &name, request)).await
}

/// Takes the exposure of an application back, or that of some of its endpoints.
#[utoipa::path(post, path = paths::APPLICATION_UNEXPOSE.text, request_body = Unexpose, responses((status = 200, body = ApplicationInfo)))]
async fn unexpose(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<Unexpose>,
) -> Result<Json<ApplicationInfo>, Answer> {
    changed(state.store().unexpose(&model, &name, request)).await
}

/// Moves an application to another revision of its charm.
///
/// If the new charm needs what nobody decided about and the old one did not need, the application keeps the old one:
/// `held` in the answer says what the new one waits for, and `POST …/grants` approves it.
#[utoipa::path(post, path = paths::APPLICATION_REFRESH.text, request_body = Refresh, responses((status = 200, body = ApplicationInfo)))]
async fn refresh(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Extension(pass): Extension<Pass>,
    Extension(identity): Extension<Identity>,
    Body(request): Body<Refresh>,
) -> Result<Json<ApplicationInfo>, Answer> {
    if request.capabilities.grants() {
        pass.require(&state, ADMIN).await?;
    }
    let by = person(identity)?;
    let store = state.store();
    changed(store.refresh_by(&model, &name, request, by.as_str())).await
}

/// Adds units to an application, on machines that are named or on new ones.
#[utoipa::path(post, path = paths::APPLICATION_UNITS.text, operation_id = "addUnits", request_body = AddUnits, responses((status = 200, body = Vec<UnitName>)))]
async fn add_units(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<AddUnits>,
) -> Result<Json<Vec<UnitName>>, Answer> {
    changed(state.store().add_units_to(
        &model,
        &name,
        request.count,
        request.placement,
        request.attach_storage,
    ))
    .await
}

/// Says how many units an application is to have.
///
/// Those that lack are added on new machines; of those that are too many the youngest begin to go. Asked again
/// it is the same.
#[utoipa::path(put, path = paths::APPLICATION_SCALE.text, operation_id = "scaleApplication", request_body = SetScale, responses((status = 200, body = Scaled)))]
async fn scale(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<SetScale>,
) -> Result<Json<Scaled>, Answer> {
    let going = Going {
        force: request.force.into(),
        destroy_storage: request.destroy_storage,
    };
    changed(state.store().scale(&model, &name, request.units, going)).await
}

/// Says how many units an application has at the least.
///
/// While fewer are alive, others are added by themselves: one that is removed goes all the same. Taken back
/// with 0, which removes no unit.
#[utoipa::path(put, path = paths::APPLICATION_MIN_UNITS.text, request_body = SetMinUnits, responses((status = 200, body = ApplicationInfo)))]
async fn set_min_units(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<SetMinUnits>,
) -> Result<Json<ApplicationInfo>, Answer> {
    changed(
        state
            .store()
            .set_min_units(&model, &name, request.min_units),
    )
    .await
}

/// Trusts an application with the cloud's credential, or takes that back.
///
/// The credential is that of the model's owner, so this is an admin's word. Its units run `config-changed`.
#[utoipa::path(put, path = paths::APPLICATION_TRUST.text, request_body = SetTrust, responses((status = 200, body = ApplicationInfo)))]
async fn set_trust(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<SetTrust>,
) -> Result<Json<ApplicationInfo>, Answer> {
    changed(state.store().set_trust(&model, &name, request.trust)).await
}

/// Says what machines have to be like that are made for an application's units from now on.
///
/// They go before the model's. In the place of what was said before: nothing for no constraints.
#[utoipa::path(put, path = paths::APPLICATION_CONSTRAINTS.text, request_body = SetConstraints, responses((status = 200, body = ApplicationInfo)))]
async fn set_constraints(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<SetConstraints>,
) -> Result<Json<ApplicationInfo>, Answer> {
    let set = state
        .store()
        .set_constraints(&model, &name, &request.constraints);
    changed(set).await
}

/// Gives the units that an application has now a meter status.
///
/// They are told it unless their quotas say something worse, until it is taken back with GREEN.
#[utoipa::path(put, path = paths::APPLICATION_METER_STATUS.text, request_body = SetMeterStatus, responses((status = 200, body = Empty)))]
async fn set_meter_status(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Body(request): Body<SetMeterStatus>,
) -> Result<Json<Empty>, Answer> {
    let SetMeterStatus { color, message } = request;
    let store = state.store();
    done(store.set_application_meter_status(&model, &name, &color, &message)).await
}
