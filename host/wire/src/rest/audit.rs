//! The audit log: every change, who made it, from where, and how it ended.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/audit`, `GET /v1/models/{model}/audit` | `AuditQuery` | `Page<AuditRecord>`, newest first |
//! | `GET, PATCH /v1/controller/config` | `ConfigChange` | `ConfigSettings` (`auditing-enabled`, `audit-log-*`) |

use periapt_model::ModelUuid;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What kind of thing was done.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AuditKind {
    /// A person changed something, or tried to.
    #[default]
    Change,
    /// Somebody proved who they are, failed to, or signed out.
    SignIn,
    /// An agent called the controller.
    Call,
}

impl AuditKind {
    pub const ALL: [AuditKind; 3] = [AuditKind::Change, AuditKind::SignIn, AuditKind::Call];

    pub fn as_str(self) -> &'static str {
        match self {
            AuditKind::Change => "change",
            AuditKind::SignIn => "sign-in",
            AuditKind::Call => "call",
        }
    }
}

impl std::str::FromStr for AuditKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        found.ok_or_else(|| {
            format!("\"{text}\" is no kind of audit record; there are: change, sign-in, call")
        })
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AuditRecord {
    pub id: i64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub time: i64,
    /// A tag: `user-admin`, `agent-…`.
    pub who: String,
    /// Address the request came from.
    pub from: String,
    pub model: Option<ModelUuid>,
    /// `POST /v1/models/{model}/applications`, or `periapt.Uniter.CommitHook`.
    pub what: String,
    /// The path or entity it was about.
    pub target: String,
    /// HTTP status, or `ok` and error codes of calls.
    pub result: String,
    /// What was asked, without secrets; empty when `audit-log-capture-args` is off.
    #[serde(default)]
    #[schema(required = true)]
    pub arguments: Value,
    #[serde(default)]
    #[schema(required = true)]
    pub kind: AuditKind,
    /// What was done: `integrated`, `retried`; `tried to integrate` where that was refused. Empty for records
    /// of before.
    #[serde(default)]
    #[schema(required = true)]
    pub verb: String,
    /// What it was done to: `front with site`.
    #[serde(default)]
    #[schema(required = true)]
    pub object: String,
    /// Names of the applications, units and incidents that it is about.
    #[serde(default)]
    #[schema(required = true)]
    pub about: Vec<String>,
}

/// All filters must hold.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    pub user: Option<String>,
    /// Part of `what` or `target`.
    pub matching: Option<String>,
    /// `ok` or `refused`.
    pub result: Option<String>,
    /// `change`, `sign-in` or `call`; several are separated by commas. All when left out.
    pub kind: Option<String>,
    /// Requests of then or later, RFC 3339.
    #[serde(with = "periapt_model::time::micros::option")]
    #[param(value_type = Option<String>, format = DateTime)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<i64>,
    /// Requests before that, RFC 3339.
    #[serde(with = "periapt_model::time::micros::option")]
    #[param(value_type = Option<String>, format = DateTime)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<i64>,
    pub limit: Option<u64>,
    pub after: Option<String>,
}
