//! The timeline of a model.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_model::ModelUuid;
use periapt_wire::rest::{ModelPermission, Page, TimelineEntry, TimelineQuery, paths};
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(list))]
}

/// Lists what changed in a model, newest first.
///
/// Changes that people made, settings and charms with what they were before, hooks that ran, and statuses. The
/// changes of people, `audit`, are in it for those who may read the model's audit log.
#[utoipa::path(get, path = paths::MODEL_TIMELINE.text, params(TimelineQuery), responses((status = 200, body = Page<TimelineEntry>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(identity): Extension<Identity>,
    Query(query): Query<TimelineQuery>,
) -> Result<Json<Page<TimelineEntry>>, Answer> {
    let audit = may_read_audit(&state, &identity, &model).await?;
    Ok(Json(state.store().timeline(&model, &query, audit).await?))
}

/// Whether somebody who may read a model may read its audit log as well.
pub(super) async fn may_read_audit(
    state: &ServerState,
    identity: &Identity,
    model: &ModelUuid,
) -> Result<bool, Answer> {
    let Identity::User { name } = identity else {
        return Ok(false);
    };
    let standing = state.store().model_standing(name, model.as_str()).await?;
    Ok(standing.is_some_and(|standing| standing.access >= ModelPermission::Admin))
}
