//! Incidents: list, retry, skip, silence.

use axum::Json;
use axum::extract::{Extension, FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::AgentName;
use periapt_wire::rest::{
    IncidentAnswer, IncidentInfo, IncidentQuery, Page, SilenceIncident, SilenceInfo, paths,
};
use periapt_wire::rpc::Empty;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::extract::{InModel, MaybeBody, Query};
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use super::timeline::may_read_audit;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)),
        row(WRITE, routes!(retry)),
        row(WRITE, routes!(skip)),
        row(WRITE, routes!(silence)).never_blocked(),
        row(WRITE, routes!(hear)).never_blocked(),
    ]
}

/// Lists what is wrong in a model, the worst first.
///
/// Units of an application that fail in one hook for one reason are one incident. What was changed
/// right before it began comes with it; who changed it is told to those who may read the audit log.
#[utoipa::path(get, path = paths::INCIDENTS.text, params(IncidentQuery), responses((status = 200, body = Page<IncidentInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Extension(identity): Extension<Identity>,
    Query(query): Query<IncidentQuery>,
) -> Result<Json<Page<IncidentInfo>>, Answer> {
    let audit = may_read_audit(&state, &identity, &model).await?;
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let store = state.store();
    Ok(Json(
        store.incidents(&model, &query, &presence, audit).await?,
    ))
}

/// Retries the failed hook of every unit of an incident.
///
/// Units that have an answer already, and those that got well meanwhile, are left alone.
#[utoipa::path(post, path = paths::INCIDENT_RETRY.text, responses((status = 200, body = IncidentAnswer)))]
async fn retry(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfIncident(id): OfIncident,
) -> Result<Json<IncidentAnswer>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let store = state.store();
    changed(store.answer_incident(&model, &id, true, &presence)).await
}

/// Skips the failed hook of every unit of an incident: each goes on as if it had succeeded.
#[utoipa::path(post, path = paths::INCIDENT_SKIP.text, responses((status = 200, body = IncidentAnswer)))]
async fn skip(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfIncident(id): OfIncident,
) -> Result<Json<IncidentAnswer>, Answer> {
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let store = state.store();
    changed(store.answer_incident(&model, &id, false, &presence)).await
}

/// Silences an incident, for a time or until it changes.
///
/// It changes when another unit joins it, or when one of its units got well and failed again.
#[utoipa::path(post, path = paths::INCIDENT_SILENCE.text, request_body = SilenceIncident, responses((status = 200, body = SilenceInfo)))]
async fn silence(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfIncident(id): OfIncident,
    MaybeBody(request): MaybeBody<SilenceIncident>,
) -> Result<Json<SilenceInfo>, Answer> {
    let request = request.unwrap_or_default();
    let present = state.presence().of(&model);
    let presence = |agent: &AgentName| present.has(agent);
    let store = state.store();
    changed(store.silence_incident(&model, &id, &request, &presence)).await
}

/// Ends the silence of an incident.
#[utoipa::path(delete, path = paths::INCIDENT_SILENCE.text, responses((status = 200, body = Empty)))]
async fn hear(
    State(state): State<ServerState>,
    InModel(model): InModel,
    OfIncident(id): OfIncident,
) -> Result<Json<Empty>, Answer> {
    done(state.store().end_silence(&model, &id)).await
}

/// `{id}` of the path. What is no incident's id is the id of none, which the store says.
struct OfIncident(String);

impl FromRequestParts<ServerState> for OfIncident {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        Ok(OfIncident(path.map(|Path((_, id))| id).unwrap_or_default()))
    }
}
