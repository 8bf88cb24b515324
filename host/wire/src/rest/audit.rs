//! The audit log: every change, who made it, from where, and how it ended.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/audit`, `GET /v1/models/{model}/audit` | `AuditQuery` | `Page<AuditRecord>`, newest first |
//! | `GET, PATCH /v1/controller/config` | `ConfigChange` | `ConfigSettings` (`auditing-enabled`, `audit-log-*`) |

use periapt_model::ModelUuid;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AuditRecord {
    pub id: i64,
    /// Microseconds UTC.
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
    /// What was asked, without secrets; empty when `audit-log-capture-args` is off, except for looks into files.
    #[serde(default)]
    #[schema(required = true)]
    pub arguments: Value,
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
    /// Microseconds UTC.
    pub since: Option<i64>,
    pub until: Option<i64>,
    pub limit: Option<u64>,
    pub after: Option<String>,
}
