//! Users, tokens, sessions and who may do what.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `GET /v1/whoami` | | `WhoAmI` |
//! | `POST /v1/session` | `LoginRequest` | `Session`, and a cookie |
//! | `GET, DELETE /v1/session` | | `Session`, `Empty` |
//! | `POST /v1/register` | `Register` | `LoginReply` |
//! | `GET, POST /v1/users` | `AddUser` | `Page<UserInfo>`, `AddedUser` |
//! | `GET, DELETE /v1/users/{user}` | | `UserInfo`, `Empty` |
//! | `PATCH /v1/users/{user}` | `ChangeUser` | `UserInfo` |
//! | `PUT /v1/users/{user}/password` | `ChangePassword` | `Empty` |
//! | `POST /v1/users/{user}/registration` | | `AddedUser` |
//! | `GET, POST /v1/users/{user}/tokens` | `AddToken` | `Page<TokenInfo>`, `AddedToken` |
//! | `DELETE /v1/users/{user}/tokens/{id}` | | `Empty` |
//! | `PUT, DELETE /v1/users/{user}/access` | `Grant` | `UserInfo` |
//! | `PUT, DELETE /v1/models/{model}/access/{user}` | `GrantModel` | `ModelAccess` |
//! | `GET /v1/models/{model}/access` | | `Page<ModelAccess>` |
//!
//! A `PUT` of an access gives at least that; a `DELETE` takes it with all above it and leaves the
//! one below. Without a body it takes `superuser`, or the whole access to the model.
//! `DELETE /v1/session` ends the session or token that the request was made with. `POST
//! .../registration` makes the password of a user unusable and invites them anew.

use periapt_model::{ModelName, ModelUuid};
use serde::{Deserialize, Serialize};

/// What a user may do on the controller, as Juju names it. Each includes those before it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ControllerAccess {
    /// May log in and see the models shared with them.
    Login,
    /// May do everything, in every model.
    Superuser,
}

impl ControllerAccess {
    pub fn as_str(self) -> &'static str {
        match self {
            ControllerAccess::Login => "login",
            ControllerAccess::Superuser => "superuser",
        }
    }
}

impl std::fmt::Display for ControllerAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ControllerAccess {
    type Err = UnknownAccess;

    fn from_str(text: &str) -> Result<Self, UnknownAccess> {
        [ControllerAccess::Login, ControllerAccess::Superuser]
            .into_iter()
            .find(|access| access.as_str() == text)
            .ok_or_else(|| UnknownAccess(text.to_owned()))
    }
}

/// A word that is no access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAccess(pub String);

impl std::fmt::Display for UnknownAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\" is no access", self.0)
    }
}

impl std::error::Error for UnknownAccess {}

/// What a user may do in a model, as Juju names it. Each includes those before it.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ModelPermission {
    Read,
    /// Deploy, configure, scale, resolve, remove.
    Write,
    /// Share the model, change its configuration, destroy it.
    Admin,
}

impl ModelPermission {
    pub fn as_str(self) -> &'static str {
        match self {
            ModelPermission::Read => "read",
            ModelPermission::Write => "write",
            ModelPermission::Admin => "admin",
        }
    }

    /// What is left when this one is taken away: the one below, or nothing.
    pub fn below(self) -> Option<Self> {
        match self {
            ModelPermission::Read => None,
            ModelPermission::Write => Some(ModelPermission::Read),
            ModelPermission::Admin => Some(ModelPermission::Write),
        }
    }
}

impl std::fmt::Display for ModelPermission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for ModelPermission {
    type Err = UnknownAccess;

    fn from_str(text: &str) -> Result<Self, UnknownAccess> {
        [
            ModelPermission::Read,
            ModelPermission::Write,
            ModelPermission::Admin,
        ]
        .into_iter()
        .find(|access| access.as_str() == text)
        .ok_or_else(|| UnknownAccess(text.to_owned()))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct WhoAmI {
    pub user: String,
    pub display_name: String,
    pub access: ControllerAccess,
    pub models: Vec<OwnModelAccess>,
    pub controller: String,
}

/// A model as its visitor may use it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct OwnModelAccess {
    pub uuid: ModelUuid,
    pub name: ModelName,
    pub access: ModelPermission,
    /// When they last used it, to a minute; left out where they never did.
    #[serde(
        default,
        with = "periapt_model::time::micros::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_connection: Option<i64>,
}

/// A browser's login. Requests that change something repeat `csrf` in the header
/// `X-Periapt-CSRF`.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Session {
    pub user: String,
    pub csrf: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UserInfo {
    pub name: String,
    pub display_name: String,
    pub access: ControllerAccess,
    pub disabled: bool,
    /// False until an invited user registered or a password was set.
    pub registered: bool,
    pub created_by: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_login: Option<i64>,
    pub models: Vec<OwnModelAccess>,
}

/// With a password the user can log in at once; without, `AddedUser::registration` is for them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct AddUser {
    pub name: String,
    pub display_name: String,
    pub password: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AddedUser {
    pub user: UserInfo,
    /// What the user hands to `periapt register`: good once, for a day. It carries the
    /// controller's name, addresses, CA and the one-time token, as base64 of `Registration`.
    pub registration: Option<String>,
}

/// The content of a registration string.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Registration {
    pub user: String,
    pub controller: String,
    pub addresses: Vec<String>,
    /// PEM.
    pub ca_cert: String,
    pub token: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Register {
    pub user: String,
    /// The one-time token.
    pub token: String,
    /// The password the user chose.
    pub password: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct ChangeUser {
    pub display_name: Option<String>,
    pub disabled: Option<bool>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct ChangePassword {
    /// The present one; a superuser who changes somebody else's leaves it out.
    pub current: Option<String>,
    pub password: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct AddToken {
    /// What the user calls it, unique among the user's tokens.
    pub name: String,
    /// Seconds; 30 days when left out.
    pub expires_in: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AddedToken {
    pub info: TokenInfo,
    /// Shown this once.
    pub token: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TokenInfo {
    /// Not the secret.
    pub id: String,
    pub name: String,
    /// `login`, `token` that was made for a program, or `session` of a browser.
    pub kind: String,
    /// It is the one that the request was made with.
    #[serde(default)]
    #[schema(required = true)]
    pub current: bool,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: i64,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_used: Option<i64>,
    /// The address that it was used from last or, before that, that its login came from; left out where nobody knows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// The program it was used with last, as that calls itself; a browser in short, `Firefox 133 on Linux`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Grant {
    pub access: ControllerAccess,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct GrantModel {
    pub access: ModelPermission,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ModelAccess {
    pub user: String,
    pub display_name: String,
    /// None once it was taken away.
    pub access: Option<ModelPermission>,
    pub owner: bool,
    /// When they last used the model, to a minute; left out where they never did.
    #[serde(
        default,
        with = "periapt_model::time::micros::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_connection: Option<i64>,
}
