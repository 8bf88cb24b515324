//! Hooks that ran, newest first.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::Refusal;
use periapt_wire::Problem;
use periapt_wire::rest::{HookQuery, HookRun, Page, paths};
use utoipa_axum::routes;

use super::extract::{InModel, Query};
use super::problem::Answer;
use super::route::{READ, Row, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![row(READ, routes!(list)), row(READ, routes!(one))]
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
    InModel(model): InModel,
    RunId(id): RunId,
) -> Result<Json<HookRun>, Answer> {
    let mut run = state.store().hook_run(&model, id).await?;
    run.limits = run.usage.map(|_| state.limits().into());
    Ok(Json(run))
}

/// `{id}` of the path.
struct RunId(i64);

impl FromRequestParts<ServerState> for RunId {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        path.ok()
            .and_then(|Path((_, id))| id.parse().ok())
            .map(RunId)
            .ok_or_else(|| {
                Answer(
                    Problem::new(Refusal::HookIdInvalid).why("the id of a hook's run is a number"),
                )
            })
    }
}
