//! Hooks that ran, newest first.

use axum::Json;
use axum::extract::{Extension, State};
use periapt_wire::rest::{HookDetails, HookQuery, HookRun, Page, paths};
use utoipa_axum::routes;

use super::extract::{InHook, InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use super::timeline::may_read_audit;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)),
        row(READ, routes!(one)),
        row(READ, routes!(report)),
    ]
}

/// Lists the hooks that ran in a model, newest first.
#[utoipa::path(get, path = paths::HOOKS.text, params(HookQuery), responses((status = 200, body = Page<HookRun>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<HookQuery>,
) -> Result<Json<Page<HookRun>>, Answer> {
    Ok(Json(state.store().hook_runs(&model, &query).await?))
}

/// Shows one run of a hook.
#[utoipa::path(get, path = paths::HOOK.text, responses((status = 200, body = HookRun)))]
async fn one(
    State(state): State<ServerState>,
    InHook(model, id): InHook,
) -> Result<Json<HookRun>, Answer> {
    let mut run = state.store().hook_run(&model, id).await?;
    run.limits = run.usage.map(|_| state.limits().into());
    Ok(Json(run))
}

/// Shows all that is known of one run of a hook.
///
/// What it logged and changed, how long this hook usually takes in its application, the settings and charms
/// that were changed since it went well last, and the chain of causes that led to it.
#[utoipa::path(get, path = paths::HOOK_REPORT.text, responses((status = 200, body = HookDetails)))]
async fn report(
    State(state): State<ServerState>,
    InHook(model, id): InHook,
    Extension(identity): Extension<Identity>,
) -> Result<Json<HookDetails>, Answer> {
    let audit = may_read_audit(&state, &identity, &model).await?;
    let mut details = state.store().hook_details(&model, id).await?;
    details.run.limits = details.run.usage.map(|_| state.limits().into());
    details.why = state.store().run_why(&model, id, audit).await?;
    Ok(Json(details))
}
