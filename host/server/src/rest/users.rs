//! `/v1/users`: who there is, invitations, passwords, and whom to keep out.

use axum::Json;
use axum::extract::{Extension, State};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::{Refusal, UserName};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    AddUser, AddedUser, ChangePassword, ChangeUser, ListQuery, Page, Registration, UserInfo, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, changed_to, done};
use super::extract::{Body, OfUser, Query};
use super::page::page;
use super::problem::{Answer, forbidden};
use super::route::{Row, row};
use crate::authenticator::AuthError;
use crate::identity::Identity;
use crate::listener::Connection;
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(Visitor::Superuser, routes!(list)).lists::<UserInfo>(),
        row(Visitor::Superuser, routes!(add))
            .secret()
            .creates(paths::USER, &["/user/name"]),
        row(Visitor::OneselfOrSuperuser, routes!(show)),
        row(Visitor::Superuser, routes!(change)),
        row(Visitor::Superuser, routes!(remove)),
        row(Visitor::OneselfOrSuperuser, routes!(password)).secret(),
        row(Visitor::Superuser, routes!(reset)).secret(),
    ]
}

/// Lists the users.
#[utoipa::path(get, path = paths::USERS.text, params(ListQuery), responses((status = 200, body = Page<UserInfo>)))]
async fn list(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.store().users().await?, &query)
}

/// Adds a user.
///
/// Without a password the answer holds the invitation with which they register.
#[utoipa::path(post, path = paths::USERS.text, request_body = AddUser, responses((status = 200, body = AddedUser)))]
async fn add(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    Body(request): Body<AddUser>,
) -> Result<Json<AddedUser>, Answer> {
    let by = person(identity)?;
    let _: UserName = request.name.parse()?;
    let here = state.clone();
    let added = move |(user, invitation): &(UserInfo, Option<String>)| AddedUser {
        registration: invitation
            .as_ref()
            .map(|token| registration(&here, user, token)),
        user: user.clone(),
    };
    changed_to(state.store().add_user(request, &by), added).await
}

/// Shows a user.
#[utoipa::path(get, path = paths::USER.text, responses((status = 200, body = UserInfo)))]
async fn show(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
) -> Result<Json<UserInfo>, Answer> {
    Ok(Json(state.store().user(&user).await?))
}

/// Changes a user's display name, or keeps them out or lets them in again.
#[utoipa::path(patch, path = paths::USER.text, request_body = ChangeUser, responses((status = 200, body = UserInfo)))]
async fn change(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
    Body(request): Body<ChangeUser>,
) -> Result<Json<UserInfo>, Answer> {
    changed(state.store().change_user(&user, request)).await
}

/// Removes a user.
#[utoipa::path(delete, path = paths::USER.text, responses((status = 200, body = Empty)))]
async fn remove(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    OfUser(user): OfUser,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_user(&user, &person(identity)?)).await
}

/// Changes a user's password.
///
/// Whoever changes their own password proves that they know it: a terminal left open is not
/// enough to take an account over.
#[utoipa::path(put, path = paths::USER_PASSWORD.text, request_body = ChangePassword, responses((status = 200, body = Empty)))]
async fn password(
    State(state): State<ServerState>,
    Extension(identity): Extension<Identity>,
    connection: Option<Extension<Connection>>,
    OfUser(user): OfUser,
    Body(request): Body<ChangePassword>,
) -> Result<Json<Empty>, Answer> {
    if person(identity)? == user {
        let peer = connection.map(|Extension(connection)| connection.peer.ip());
        let current = request.current.unwrap_or_default();
        match state.authenticator().confirm(&user, &current, peer).await {
            // The visitor is known; it is what they say that is wrong.
            Err(AuthError::Invalid) => {
                return Err(Answer(
                    Problem::new(Refusal::PasswordWrong)
                        .titled("The password was not changed")
                        .why("the current password is wrong"),
                ));
            }
            confirmed => confirmed?,
        }
    }
    done(state.store().change_password(&user, &request.password)).await
}

/// Invites a user anew.
///
/// Their password cannot be used any more.
#[utoipa::path(post, path = paths::USER_REGISTRATION.text, operation_id = "inviteUser", responses((status = 200, body = AddedUser)))]
async fn reset(
    State(state): State<ServerState>,
    OfUser(user): OfUser,
) -> Result<Json<AddedUser>, Answer> {
    let here = state.clone();
    let invited = move |(user, token): &(UserInfo, String)| AddedUser {
        registration: Some(registration(&here, user, token)),
        user: user.clone(),
    };
    changed_to(state.store().reset_password(&user), invited).await
}

/// The user who asks; nobody else has a route that asks for one.
pub(super) fn person(identity: Identity) -> Result<UserName, Answer> {
    match identity {
        Identity::User { name } => Ok(name),
        _ => Err(forbidden()),
    }
}

/// All that a client who has never heard of this controller needs.
fn registration(state: &ServerState, user: &UserInfo, token: &str) -> String {
    let controller = state.controller();
    let content = Registration {
        user: user.name.clone(),
        controller: controller.name.clone(),
        addresses: state.addresses(),
        ca_cert: controller.ca_cert.clone(),
        token: token.to_owned(),
    };
    // Text only: it always has a JSON form.
    BASE64_STANDARD.encode(serde_json::to_vec(&content).unwrap_or_default())
}
