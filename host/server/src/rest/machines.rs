//! Machines: add, look at, remove.

use axum::Json;
use axum::extract::State;
use periapt_model::AgentName;
use periapt_wire::rest::{AddMachines, BlockDevice, ListQuery, MachineInfo, Page, Removal, paths};
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed;
use super::conditions::About;
use super::extract::{Body, Force, InMachine, InModel, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<MachineInfo>(),
        row(WRITE, routes!(add)).creates(paths::MACHINES, &[]),
        row(READ, routes!(show)).about(About::Machine),
        row(WRITE, routes!(remove))
            .about(About::Machine)
            .removes()
            .begins(),
        row(WRITE, routes!(retry_provisioning)),
        row(READ, routes!(block_devices)).lists::<BlockDevice>(),
    ]
}

/// Lists the machines of a model.
#[utoipa::path(get, path = paths::MACHINES.text, params(ListQuery), responses((status = 200, body = Page<MachineInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    page(state.store().machines(&model, &presence).await?, &query)
}

/// Shows a machine.
#[utoipa::path(get, path = paths::MACHINE.text, responses((status = 200, body = MachineInfo)))]
async fn show(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
) -> Result<Json<MachineInfo>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    Ok(Json(
        state.store().machine(&model, &machine, &presence).await?,
    ))
}

/// Adds machines that units can be placed on.
///
/// They stay until they are removed, whether or not units run on them.
#[utoipa::path(post, path = paths::MACHINES.text, operation_id = "addMachines", request_body = AddMachines, responses((status = 200, body = Vec<MachineInfo>)))]
async fn add(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<AddMachines>,
) -> Result<Json<Vec<MachineInfo>>, Answer> {
    let AddMachines { count, constraints } = request;
    let added = state.store().add_machines_like(&model, count, &constraints);
    changed(added).await
}

/// Begins to remove a machine.
///
/// Refused while units run on it, unless with `force`: then they are removed along with it.
#[utoipa::path(delete, path = paths::MACHINE.text, params(Force), responses((status = 200, body = Removal)))]
async fn remove(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
    Query(force): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    let removed = state
        .store()
        .remove_machine(&model, &machine, force.removal());
    changed(removed).await
}

/// Tries again to start a machine.
///
/// For one whose status is `provisioning error`: its provider failed as often as it is tried by
/// itself.
#[utoipa::path(post, path = paths::MACHINE_RETRY_PROVISIONING.text, operation_id = "retryProvisioning", responses((status = 200, body = MachineInfo)))]
async fn retry_provisioning(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
) -> Result<Json<MachineInfo>, Answer> {
    let present = state.presence().of(&model);
    let presence = move |agent: &AgentName| present.has(agent);
    let retried = state.store().retry_provisioning(&model, &machine, presence);
    changed(retried).await
}

/// Lists the block devices of a machine, as its agent sees them.
///
/// Where one agent hosts all machines they are those of the machine on which it runs.
#[utoipa::path(get, path = paths::MACHINE_BLOCK_DEVICES.text, params(ListQuery), responses((status = 200, body = Page<BlockDevice>)))]
async fn block_devices(
    State(state): State<ServerState>,
    InMachine(model, machine): InMachine,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().block_devices(&model, &machine).await?, &query)
}
