//! Relations: make, look at, suspend, remove.

use axum::Json;
use axum::extract::State;
use periapt_model::Refusal;
use periapt_model::relation::EndpointName;
use periapt_wire::Problem;
use periapt_wire::rest::{
    ChangeRelation, Integrate, ListQuery, Page, RelationInfo, Removal, paths,
};
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::changed;
use super::conditions::About;
use super::extract::{Body, Force, InModel, InRelation, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{READ, Row, WRITE, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)).lists::<RelationInfo>(),
        row(WRITE, routes!(integrate)).creates(paths::RELATION, &["/id"]),
        row(READ, routes!(show)).about(About::Relation),
        row(WRITE, routes!(change)).about(About::Relation),
        row(WRITE, routes!(remove))
            .about(About::Relation)
            .removes()
            .begins(),
    ]
}

/// Lists the relations of a model.
#[utoipa::path(get, path = paths::RELATIONS.text, params(ListQuery), responses((status = 200, body = Page<RelationInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().relations(&model).await?, &query)
}

/// Shows a relation.
#[utoipa::path(get, path = paths::RELATION.text, responses((status = 200, body = RelationInfo)))]
async fn show(
    State(state): State<ServerState>,
    InRelation(model, relation): InRelation,
) -> Result<Json<RelationInfo>, Answer> {
    Ok(Json(state.store().relation(&model, relation).await?))
}

/// Relates two applications.
///
/// Each endpoint is `APPLICATION:ENDPOINT`, or the application alone where only one of its endpoints fits.
#[utoipa::path(post, path = paths::RELATIONS.text, operation_id = "integrateApplications", request_body = Integrate, responses((status = 200, body = RelationInfo)))]
async fn integrate(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<Integrate>,
) -> Result<Json<RelationInfo>, Answer> {
    let [one, other] = request.endpoints.as_slice() else {
        return Err(Answer(Problem::new(Refusal::EndpointsInvalid).why(
            format!(
                "a relation has two endpoints, {} were given",
                request.endpoints.len()
            ),
        )));
    };
    let endpoints: [EndpointName; 2] = [one.parse()?, other.parse()?];
    changed(state.store().integrate(&model, endpoints)).await
}

/// Suspends or resumes a relation.
///
/// While it is suspended its units have left it, as if it were removed, but it stays.
#[utoipa::path(patch, path = paths::RELATION.text, request_body = ChangeRelation, responses((status = 200, body = RelationInfo)))]
async fn change(
    State(state): State<ServerState>,
    InRelation(model, relation): InRelation,
    Body(request): Body<ChangeRelation>,
) -> Result<Json<RelationInfo>, Answer> {
    let (suspended, reason) = (request.suspended, &request.reason);
    let write = state
        .store()
        .change_relation(&model, relation, suspended, reason);
    changed(write).await
}

/// Begins to remove a relation.
///
/// Its units run their departed and broken hooks first; with `force` it goes after a while whether or not they did. The answer names the subordinate units that go with it.
#[utoipa::path(delete, path = paths::RELATION.text, params(Force), responses((status = 200, body = Removal)))]
async fn remove(
    State(state): State<ServerState>,
    InRelation(model, relation): InRelation,
    Query(force): Query<Force>,
) -> Result<Json<Removal>, Answer> {
    let removed = state
        .store()
        .remove_relation(&model, relation, force.removal());
    changed(removed).await
}
