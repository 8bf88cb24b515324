//! Secrets of a model, and the back ends that keep them.
//!
//! Bodies that have values are no part of what makes two requests the same, and answers that have some are not kept.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use periapt_model::bounds::{SECRET_LABEL_BYTES, TEXT_BYTES};
use periapt_model::secret::SecretId;
use periapt_model::{ApplicationName, ModelUuid, NameError, Refusal};
use periapt_store::{Sealed, StoreError};
use periapt_wire::Problem;
use periapt_wire::access::Visitor;
use periapt_wire::rest::{
    EncryptionKeyInfo, ListQuery, NewSecretBackend, NewUserSecret, Page, RevealSecret,
    RevealedSecret, SecretBackendInfo, SecretBackendRemoval, SecretGrants, SecretInfo, SecretQuery,
    SecretRemoval, SecretValues, UpdateSecretBackend, UpdateUserSecret, paths,
};
use periapt_wire::rpc::Empty;
use serde_json::Value;
use utoipa_axum::routes;

use super::changed::{changed, done};
use super::extract::{Body, InModel, Query};
use super::page::page;
use super::problem::Answer;
use super::route::{ADMIN, READ, Row, WRITE, row};
use crate::state::ServerState;

pub(super) fn routes() -> Vec<Row> {
    vec![
        row(READ, routes!(list)),
        row(WRITE, routes!(add))
            .secret()
            .creates(paths::SECRET, &["/id"]),
        row(READ, routes!(show)),
        row(WRITE, routes!(update)).secret(),
        row(WRITE, routes!(remove)).removes(),
        row(ADMIN, routes!(reveal)).secret().never_blocked(),
        row(WRITE, routes!(grant)),
        row(WRITE, routes!(revoke)).removes(),
    ]
}

pub(super) fn backend_routes() -> Vec<Row> {
    vec![
        row(Visitor::Login, routes!(backends)).lists::<SecretBackendInfo>(),
        row(Visitor::Superuser, routes!(add_backend))
            .secret()
            .creates(paths::SECRET_BACKENDS, &[]),
        row(Visitor::Superuser, routes!(update_backend)).secret(),
        row(Visitor::Superuser, routes!(remove_backend)),
        row(Visitor::Superuser, routes!(rotate_key)).secret(),
    ]
}

/// Lists the secrets of a model, without their values.
#[utoipa::path(get, path = paths::SECRETS.text, params(SecretQuery), responses((status = 200, body = Page<SecretInfo>)))]
async fn list(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Query(query): Query<SecretQuery>,
) -> Result<Json<Page<SecretInfo>>, Answer> {
    Ok(Json(state.store().secrets(&model, &query).await?))
}

/// Adds a user secret.
///
/// No application reads it before it was granted.
#[utoipa::path(post, path = paths::SECRETS.text, request_body = NewUserSecret, responses((status = 200, body = SecretInfo)))]
async fn add(
    State(state): State<ServerState>,
    InModel(model): InModel,
    Body(request): Body<NewUserSecret>,
) -> Result<Json<SecretInfo>, Answer> {
    let NewUserSecret {
        name,
        description,
        values: SecretValues(values),
    } = request;
    require_name(&name)?;
    require_description(&description)?;
    let mut random = [0; 12];
    let made = uuid::Uuid::new_v4().into_bytes();
    random.copy_from_slice(&made[..12]);
    let id = SecretId::of_random(random);
    let content = state.secrets().seal(&model, &id, values).await?;
    let store = state.store();
    changed(store.add_user_secret(&model, &id, &name, &description, content)).await
}

/// Shows a secret, without its values.
#[utoipa::path(get, path = paths::SECRET.text, responses((status = 200, body = SecretInfo)))]
async fn show(
    State(state): State<ServerState>,
    OfSecret(model, secret): OfSecret,
) -> Result<Json<SecretInfo>, Answer> {
    Ok(Json(state.store().secret(&model, &secret).await?))
}

/// Changes a user secret.
///
/// Values are those of a new revision, all of them; the same as those of the newest make none. Charms are told, and
/// read the new ones when they ask for them.
#[utoipa::path(patch, path = paths::SECRET.text, request_body = UpdateUserSecret, responses((status = 200, body = SecretInfo)))]
async fn update(
    State(state): State<ServerState>,
    OfSecret(model, secret): OfSecret,
    Body(request): Body<UpdateUserSecret>,
) -> Result<Json<SecretInfo>, Answer> {
    let UpdateUserSecret {
        name,
        description,
        values,
        auto_prune,
    } = request;
    if let Some(name) = &name {
        require_name(name)?;
    }
    if let Some(description) = &description {
        require_description(description)?;
    }
    let store = state.store();
    let id = store.user_secret(&model, &secret).await?;
    let content: Option<Sealed> = match values {
        Some(SecretValues(values)) => Some(state.secrets().seal(&model, &id, values).await?),
        None => None,
    };
    let said = (name, description);
    changed(store.update_user_secret(&model, &id, said, auto_prune, content)).await
}

/// Removes a user secret, or one revision of it.
///
/// The secret goes with its last revision.
#[utoipa::path(delete, path = paths::SECRET.text, params(SecretRemoval), responses((status = 200, body = Empty)))]
async fn remove(
    State(state): State<ServerState>,
    OfSecret(model, secret): OfSecret,
    Query(query): Query<SecretRemoval>,
) -> Result<Json<Empty>, Answer> {
    let store = state.store();
    done(store.remove_user_secret(&model, &secret, query.revision)).await
}

/// Shows the values of a secret.
///
/// Who asked, and when, is on record as a change is.
#[utoipa::path(post, path = paths::SECRET_REVEAL.text, request_body = RevealSecret, responses((status = 200, body = RevealedSecret)))]
async fn reveal(
    State(state): State<ServerState>,
    OfSecret(model, secret): OfSecret,
    Body(request): Body<RevealSecret>,
) -> Result<Json<RevealedSecret>, Answer> {
    let store = state.store();
    let find = || store.secret_revision(&model, &secret, request.revision);
    let read = state.secrets().read(&model, find).await?;
    Ok(Json(RevealedSecret {
        revision: read.revision,
        values: SecretValues(read.content.into_values()),
    }))
}

/// Lets applications read a user secret.
#[utoipa::path(post, path = paths::SECRET_GRANTS.text, operation_id = "grantSecret", request_body = SecretGrants, responses((status = 200, body = SecretInfo)))]
async fn grant(
    State(state): State<ServerState>,
    OfSecret(model, secret): OfSecret,
    Body(request): Body<SecretGrants>,
) -> Result<Json<SecretInfo>, Answer> {
    let store = state.store();
    changed(store.grant_user_secret(&model, &secret, request.applications)).await
}

/// Takes a user secret back from an application.
#[utoipa::path(delete, path = paths::SECRET_GRANT.text, operation_id = "revokeSecret", responses((status = 200, body = SecretInfo)))]
async fn revoke(
    State(state): State<ServerState>,
    FromApplication(model, secret, application): FromApplication,
) -> Result<Json<SecretInfo>, Answer> {
    let store = state.store();
    changed(store.revoke_user_secret(&model, &secret, &application)).await
}

/// Lists the back ends of secrets, each as it answers now.
#[utoipa::path(get, path = paths::SECRET_BACKENDS.text, params(ListQuery), responses((status = 200, body = Page<SecretBackendInfo>)))]
async fn backends(
    State(state): State<ServerState>,
    Query(query): Query<ListQuery>,
) -> Result<Json<Page<Value>>, Answer> {
    page(state.secrets().backends().await?, &query)
}

/// Adds a back end, which has to answer.
#[utoipa::path(post, path = paths::SECRET_BACKENDS.text, request_body = NewSecretBackend, responses((status = 200, body = SecretBackendInfo)))]
async fn add_backend(
    State(state): State<ServerState>,
    Body(request): Body<NewSecretBackend>,
) -> Result<Json<SecretBackendInfo>, Answer> {
    Ok(Json(state.secrets().add_backend(request).await?))
}

/// Changes a back end, which has to answer as it is then.
#[utoipa::path(patch, path = paths::SECRET_BACKEND.text, request_body = UpdateSecretBackend, responses((status = 200, body = SecretBackendInfo)))]
async fn update_backend(
    State(state): State<ServerState>,
    OfBackend(name): OfBackend,
    Body(request): Body<UpdateSecretBackend>,
) -> Result<Json<SecretBackendInfo>, Answer> {
    Ok(Json(state.secrets().update_backend(&name, request).await?))
}

/// Removes a back end.
///
/// One that models want, or that has revisions of secrets, is removed by force alone. They cannot be read any more
/// then.
#[utoipa::path(delete, path = paths::SECRET_BACKEND.text, params(SecretBackendRemoval), responses((status = 200, body = Empty)))]
async fn remove_backend(
    State(state): State<ServerState>,
    OfBackend(name): OfBackend,
    Query(query): Query<SecretBackendRemoval>,
) -> Result<Json<Empty>, Answer> {
    done(state.store().remove_secret_backend(&name, query.force)).await
}

/// Replaces the key under which the keys of all models are sealed.
///
/// No value is sealed again, and all can be read meanwhile.
#[utoipa::path(post, path = paths::CONTROLLER_ENCRYPTION_KEY_ROTATE.text, operation_id = "rotateEncryptionKey", responses((status = 200, body = EncryptionKeyInfo)))]
async fn rotate_key(State(state): State<ServerState>) -> Result<Json<EncryptionKeyInfo>, Answer> {
    Ok(Json(state.secrets().rotate_key().await?))
}

fn invalid(why: String) -> Answer {
    StoreError::Refused {
        refusal: Refusal::SecretInvalid,
        message: why,
    }
    .into()
}

/// Names are told from ids.
fn require_name(name: &str) -> Result<(), Answer> {
    let sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let begins = |c: char| c.is_ascii_alphanumeric();
    let sound = name.starts_with(begins) && name.chars().all(sign);
    if !sound || SECRET_LABEL_BYTES.exceeded_by(name.len()) {
        let shown: String = name.chars().take(80).collect();
        return Err(invalid(format!(
            "\"{shown}\" cannot be the name of a secret: use letters, digits, dashes, underscores and dots, and begin with a letter or a digit"
        )));
    }
    match name.parse::<SecretId>() {
        Ok(_) => Err(invalid(format!(
            "\"{name}\" cannot be the name of a secret: it looks like an id"
        ))),
        Err(_) => Ok(()),
    }
}

fn require_description(description: &str) -> Result<(), Answer> {
    match TEXT_BYTES.exceeded_by(description.len()) {
        false => Ok(()),
        true => Err(invalid(format!(
            "the description has {} bytes, more than the {} allowed",
            description.len(),
            TEXT_BYTES.most
        ))),
    }
}

/// `{model}` and `{secret}`, as it was written: the store says which there are.
struct OfSecret(ModelUuid, String);

impl FromRequestParts<ServerState> for OfSecret {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let InModel(model) = InModel::from_request_parts(parts, state).await?;
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        match path {
            Ok(Path((_, secret))) => Ok(OfSecret(model, secret)),
            Err(_) => Err(unreadable("the name of the secret")),
        }
    }
}

/// `{model}`, `{secret}` and `{application}`.
struct FromApplication(ModelUuid, String, ApplicationName);

impl FromRequestParts<ServerState> for FromApplication {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let InModel(model) = InModel::from_request_parts(parts, state).await?;
        let path = Path::<(String, String, String)>::from_request_parts(parts, state).await;
        match path {
            Ok(Path((_, secret, application))) => {
                let application = application.parse().map_err(|error: NameError| error)?;
                Ok(FromApplication(model, secret, application))
            }
            Err(_) => Err(unreadable("the name of the secret")),
        }
    }
}

/// `{backend}`, as it was written.
struct OfBackend(String);

impl FromRequestParts<ServerState> for OfBackend {
    type Rejection = Answer;
    async fn from_request_parts(parts: &mut Parts, state: &ServerState) -> Result<Self, Answer> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        match path {
            Ok(Path(name)) => Ok(OfBackend(name)),
            Err(_) => Err(unreadable("the name of the back end")),
        }
    }
}

fn unreadable(what: &str) -> Answer {
    Answer(Problem::new(Refusal::PathInvalid).why(format!("{what} cannot be read")))
}
