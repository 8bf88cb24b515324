//! Units: list, look at, remove, resolve.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_model::AgentName;
use periapt_wire::rest::{
    ListQuery, Page, Removal, ResolveRequest, SetMeterStatus, UnitInfo, Why, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::conditions::About;
use super::extract::{Body, Force, InModel, InUnit, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use super::timeline::may_read_audit;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<UnitInfo>(),
        row(READ, routes!(show)).about(About::Unit),
        row(READ, routes!(why)),
        row(WRITE, routes!(remove))
            .about(About::Unit)
            .removes()
            .begins(),
        row(WRITE, routes!(resolve)).about(About::Unit),
        row(WRITE, routes!(set_meter_status)).about(About::Unit),
    ]
}

/// Lists the units of a model.
#[utoipa::path(get, path = paths::UNITS.text, params(ListQuery), responses((status = 200, body = Page<UnitInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    page(state.store().units(&model, &presence).await?, &query)
}

/// Shows a unit with its relations and their settings.
#[utoipa::path(get, path = paths::UNIT.text, responses((status = 200, body = UnitInfo)))]
async fn show(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
) -> Result<Json<UnitInfo>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let shown = state.store().unit(&model, &unit, &presence).await?;
    Ok(Json(UnitInfo {
        relations: state.store().unit_relations(&model, &unit).await?,
        ..shown
    }))
}

/// Shows why a unit is as it is: the chain of causes behind the last thing that it did.
///
/// From its last run, beside good ones of `update-status`, back to the person, the timer or the worker that began it. The
/// changes of people are named for those who may read the model's audit log.
#[utoipa::path(get, path = paths::UNIT_WHY.text, responses((status = 200, body = Why)))]
async fn why(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Extension(identity): Extension<Identity>,
) -> Result<Json<Why>, Answer> {
    let audit = may_read_audit(&state, &identity, &model).await?;
    Ok(Json(state.store().unit_why(&model, &unit, audit).await?))
}

/// Begins to remove a unit.
///
/// Storage that outlives units stays, unless with `destroy-storage`.
#[utoipa::path(delete, path = paths::UNIT.text, params(Force), responses((status = 200, body = Removal)))]
async fn remove(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Query(force): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    changed(state.store().remove_unit(&model, &unit, force.removal())).await
}

/// Marks the failed hook of a unit as dealt with.
///
/// With `retry` the hook runs again, else the unit goes on as if it had succeeded.
#[utoipa::path(post, path = paths::UNIT_RESOLVED.text, operation_id = "resolveUnit", request_body = ResolveRequest, responses((status = 200, body = Empty)))]
async fn resolve(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<ResolveRequest>,
) -> Result<Json<Empty>, Answer> {
    done(state.store().resolved(&model, &unit, request.retry)).await
}

/// Gives a unit a meter status.
///
/// It is told it unless its quotas say something worse, until it is taken back with GREEN.
#[utoipa::path(put, path = paths::UNIT_METER_STATUS.text, request_body = SetMeterStatus, responses((status = 200, body = Empty)))]
async fn set_meter_status(
    State(state): State<ServerState>,
    InUnit(model, unit): InUnit,
    Body(request): Body<SetMeterStatus>,
) -> Result<Json<Empty>, Answer> {
    let SetMeterStatus { color, message } = request;
    let store = state.store();
    done(store.set_unit_meter_status(&model, &unit, &color, &message)).await
}
