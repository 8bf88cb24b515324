//! Grants: what applications have of what their charms declare.

use axum::extract::State;
use axum::{Extension, Json};
use periapt_model::ApplicationName;
use periapt_wire::rest::{CapabilityQuery, ChangeGrants, Grants, paths};
use utoipa_axum::routes;

use super::changed::changed;
use super::conditions::About;
use super::extract::{Body, InApplication, InCharm, Query};
use super::problem::Answer;
use super::route::{ADMIN, READ, Row, row};
use super::users::person;
use crate::identity::Identity;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(show)),
        row(READ, routes!(of_charm)),
        row(ADMIN, routes!(grant)).about(About::Application),
        row(ADMIN, routes!(revoke)).about(About::Application),
    ]
}

/// Shows an application's capabilities, and who granted or denied each.
///
/// `standing` says what holds: `default` and `granted` are what the application has, and `used` whether a component of the
/// charm could use it. `held` is another revision of its charm that waits to be approved.
#[utoipa::path(get, path = paths::APPLICATION_GRANTS.text, operation_id = "getGrants", responses((status = 200, body = Grants)))]
async fn show(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
) -> Result<Json<Grants>, Answer> {
    Ok(Json(state.store().grants(&model, &name).await?))
}

/// Shows what a charm's capabilities would be if it were deployed now, or if an application got it.
///
/// Those that are `undecided` have to be decided for a deployment, and for a refresh those that the charm in place does
/// not have.
#[utoipa::path(get, path = paths::CHARM_CAPABILITIES.text, operation_id = "getCharmCapabilities", params(CapabilityQuery), responses((status = 200, body = Grants)))]
async fn of_charm(
    State(state): State<ServerState>,
    InCharm(model, url): InCharm,
    Query(query): Query<CapabilityQuery>,
) -> Result<Json<Grants>, Answer> {
    let application: Option<ApplicationName> =
        query.application.as_deref().map(str::parse).transpose()?;
    let url = url.to_string();
    let store = state.store();
    let shown = store.charm_capabilities(&model, &url, application.as_ref());
    Ok(Json(shown.await?))
}

/// Grants an application what its charm declares.
///
/// Its units have it from their next hook on. A revision of the charm that waits for it alone is taken. What the model's
/// `capability-policy` does not allow is refused.
#[utoipa::path(post, path = paths::APPLICATION_GRANTS.text, operation_id = "grantCapabilities", request_body = ChangeGrants, responses((status = 200, body = Grants)))]
async fn grant(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Extension(identity): Extension<Identity>,
    Body(request): Body<ChangeGrants>,
) -> Result<Json<Grants>, Answer> {
    let by = person(identity)?;
    let store = state.store();
    let write = store.grant_capabilities(&model, &name, request.capabilities, by.as_str());
    changed(write).await
}

/// Takes capabilities back from an application, or denies them.
///
/// Its units lose them before their next hook. A revision of the charm that waits for one of them is dropped.
#[utoipa::path(post, path = paths::APPLICATION_GRANTS_REVOKE.text, operation_id = "revokeCapabilities", request_body = ChangeGrants, responses((status = 200, body = Grants)))]
async fn revoke(
    State(state): State<ServerState>,
    InApplication(model, name): InApplication,
    Extension(identity): Extension<Identity>,
    Body(request): Body<ChangeGrants>,
) -> Result<Json<Grants>, Answer> {
    let by = person(identity)?;
    let store = state.store();
    let write = store.revoke_capabilities(&model, &name, request.capabilities, by.as_str());
    changed(write).await
}
