//! What lets a model's provider make instances: look at it, and say whether it is valid.

use axum::Json;
use axum::extract::State;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{ChangeCredential, ModelCredential, paths};
use utoipa_axum::routes;

use super::changed::changed;
use super::extract::{Body, InModel};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(show)),
        row(Visitor::Superuser, routes!(change)),
    ]
}

/// Shows whether a model's credential is valid.
///
/// It is what lets the provider make instances: for the local provider the folder of the model's
/// agents, and the right to start them.
#[utoipa::path(get, path = paths::MODEL_CREDENTIAL.text, responses((status = 200, body = ModelCredential)))]
async fn show(
    State(state): State<ServerState>,
    InModel(model): InModel,
) -> Result<Json<ModelCredential>, Answer> {
    Ok(Json(state.store().model_credential(&model).await?))
}

/// Says whether a model's credential is valid.
///
/// Without a valid one the model is suspended: its units go on, and nothing is started or stopped
/// for it. Said to be valid, it is tried at once; if it is refused again, it is not valid again.
#[utoipa::path(put, path = paths::MODEL_CREDENTIAL.text, request_body = ChangeCredential, responses((status = 200, body = ModelCredential)))]
async fn change(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(change): Body<ChangeCredential>,
) -> Result<Json<ModelCredential>, Answer> {
    let store = state.store();
    if change.valid {
        changed(store.update_credential(&model)).await
    } else {
        changed(store.invalidate_credential(&model, &change.reason)).await
    }
}
