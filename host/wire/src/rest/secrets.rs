//! Secrets of a model, and the back ends that keep them.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../secrets` | `SecretQuery` | `Page<SecretInfo>` |
//! | `POST .../secrets` with [`NewUserSecret`] | | `SecretInfo` |
//! | `GET .../secrets/{secret}` | | `SecretInfo` |
//! | `PATCH .../secrets/{secret}` with [`UpdateUserSecret`] | | `SecretInfo` |
//! | `DELETE .../secrets/{secret}` | `SecretRemoval` | `Empty` |
//! | `POST .../secrets/{secret}/reveal` with [`RevealSecret`] | | `RevealedSecret` |
//! | `POST .../secrets/{secret}/grants` with [`SecretGrants`] | | `SecretInfo` |
//! | `DELETE .../secrets/{secret}/grants/{application}` | | `SecretInfo` |
//! | `GET /v1/secret-backends` | | `Page<SecretBackendInfo>` |
//! | `POST /v1/secret-backends` with [`NewSecretBackend`] | | `SecretBackendInfo` |
//! | `PATCH /v1/secret-backends/{backend}` with [`UpdateSecretBackend`] | | `SecretBackendInfo` |
//! | `DELETE /v1/secret-backends/{backend}` | `SecretBackendRemoval` | `Empty` |
//! | `POST /v1/controller/encryption-key/rotate` | | `EncryptionKeyInfo` |
//!
//! `{secret}` is an id, with `secret:` before it or without, or the name of a user secret. People change and
//! grant user secrets alone: those of charms are the charms' to change, and shown here. Values are in no answer but
//! that of `reveal`, which is on record in the audit as a change is.

use std::collections::BTreeMap;

use periapt_model::ApplicationName;
use periapt_model::secret::{OwnerKind, RotatePolicy, SecretId};
use serde::{Deserialize, Serialize};

/// A secret without its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SecretInfo {
    /// Without `secret:`.
    #[schema(value_type = String)]
    pub id: SecretId,
    pub owner: SecretOwner,
    /// The name of a user secret, or the label that a charm gave its own; may be empty.
    pub label: String,
    pub description: String,
    #[schema(value_type = String)]
    pub rotate: RotatePolicy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_rotate: Option<i64>,
    /// When the newest revision expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires: Option<i64>,
    /// Whether revisions go as soon as nobody is on them.
    pub auto_prune: bool,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: i64,
    /// In order; the last is the newest.
    pub revisions: Vec<SecretRevision>,
    pub grants: Vec<SecretGrant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SecretOwner {
    pub kind: OwnerKind,
    /// The application's or the unit's name, or the model's.
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SecretRevision {
    pub revision: u32,
    /// The back end in which it is.
    pub backend: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires: Option<i64>,
    /// Units that are on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SecretGrant {
    /// A unit, or an application for all of its units.
    pub to: String,
    /// The relation for as long as which it holds; none for what a person granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct SecretQuery {
    /// Only those of `model`, of an application, or of a unit.
    pub owner: Option<String>,
    /// Secrets on a page, 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}

/// Values by key. Not written down where requests are.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
pub struct SecretValues(pub BTreeMap<String, String>);

impl std::fmt::Debug for SecretValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

/// A user secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct NewUserSecret {
    /// Unique among the model's user secrets.
    pub name: String,
    pub description: String,
    pub values: SecretValues,
}

/// What is to change of a user secret; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct UpdateUserSecret {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// All values of a new revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<SecretValues>,
    /// Whether revisions go as soon as nobody is on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_prune: Option<bool>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct SecretRemoval {
    /// This one alone; the whole secret when left out.
    pub revision: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct RevealSecret {
    /// The newest when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RevealedSecret {
    pub revision: u32,
    pub values: SecretValues,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SecretGrants {
    pub applications: Vec<ApplicationName>,
}

/// Where revisions of secrets are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SecretBackendInfo {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// Without what is secret in it.
    pub config: BTreeMap<String, String>,
    /// How often its token is replaced, seconds; never when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_rotate_interval: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub next_token_rotate: Option<i64>,
    /// Revisions in it, of all models.
    pub secrets: u64,
    /// `active`, or `error` with a message.
    pub status: String,
    pub message: String,
}

/// Another back end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct NewSecretBackend {
    pub name: String,
    /// `vault`.
    #[serde(rename = "type")]
    pub kind: String,
    /// As the type takes it: `endpoint`, `token`, `mount-path`, `ca-cert`.
    pub config: SecretValues,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_rotate_interval: Option<u64>,
}

/// What is to change of a back end; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct UpdateSecretBackend {
    /// Options that are set; those it does not name stay.
    pub config: SecretValues,
    /// Options that are unset.
    pub reset: Vec<String>,
    /// Seconds; 0 for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_rotate_interval: Option<u64>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct SecretBackendRemoval {
    /// Also one in which there are revisions, which cannot be read any more then.
    pub force: bool,
}

/// The key under which the keys of all models are sealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct EncryptionKeyInfo {
    pub id: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    /// So many keys of models were sealed anew.
    pub sealed_again: u64,
}
