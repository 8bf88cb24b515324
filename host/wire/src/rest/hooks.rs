//! Hooks that ran.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/hooks` | `HookQuery` | `Page<HookRun>`, newest first |
//! | `GET /v1/models/{model}/hooks/{id}` | | `HookRun` |

use periapt_model::hook::Limits;
use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// One run of one hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookRun {
    pub id: i64,
    pub unit: UnitName,
    pub application: ApplicationName,
    /// `config-changed`, `website-relation-joined`.
    pub hook: String,
    /// What this run was about: `relation 3, back/0`; empty where there is nothing beside the name.
    #[serde(default)]
    #[schema(required = true)]
    pub about: String,
    pub charm: String,
    /// When its turn came.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub started_at: i64,
    /// From then until its commit was asked for or it had failed, without what it waited for a place
    /// meanwhile, microseconds.
    pub duration: i64,
    /// From chosen until its turn came, for the machine's lock and a place, and later for a place to go
    /// on, microseconds.
    #[serde(default)]
    pub waited: i64,
    /// What it was run because of: `audit:807`, a change by its record in the audit log; `run:812`, another run;
    /// `task:5`; `timer:update-status`; `call:Facade.Method`, a worker's; and words for the rest. Empty where that was
    /// not recorded.
    #[serde(default)]
    #[schema(required = true)]
    pub cause: String,
    /// `ok` or `failed`.
    pub result: String,
    /// Stable code of the failure: `trap`, `wall-clock`, …
    pub code: String,
    pub message: String,
    /// What it changed, in words: `opened 80/tcp`, `state counter`, …
    pub effects: Vec<String>,
    /// What it used; none of one that came to no sandbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<HookUsage>,
    /// How much of each a hook may use now; with one run that is asked for by its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<HookUsage>,
}

/// What a hook uses beside time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookUsage {
    /// Most memory that its component had.
    pub memory_bytes: u64,
    /// Calls into the host.
    pub host_calls: u64,
    /// Written to stdout, stderr and the log together.
    pub output_bytes: u64,
    /// In the state directory; zero if the hook changed nothing there.
    pub state_directory_bytes: u64,
}

impl From<&Limits> for HookUsage {
    fn from(limits: &Limits) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            host_calls: limits.host_calls,
            output_bytes: limits.output_bytes,
            state_directory_bytes: limits.state_directory_bytes,
        }
    }
}

/// How much one hook may use of each; beyond any of them it ends with a failure that names the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookLimits {
    /// Memory of its component, bytes.
    pub memory_bytes: u64,
    /// Elements in all tables of its component.
    pub table_elements: u64,
    /// Bytes written to stdout, stderr and the log together.
    pub output_bytes: u64,
    /// Calls into the host.
    pub host_calls: u64,
    /// Time, milliseconds. A task may be given more.
    pub wall_clock_ms: u64,
    /// Bytes in the unit's state directory.
    pub state_directory_bytes: u64,
}

impl From<&Limits> for HookLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            memory_bytes: limits.memory_bytes,
            table_elements: limits.table_elements,
            output_bytes: limits.output_bytes,
            host_calls: limits.host_calls,
            wall_clock_ms: limits.wall_clock_ms,
            state_directory_bytes: limits.state_directory_bytes,
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct HookQuery {
    pub unit: Option<String>,
    pub application: Option<String>,
    pub hook: Option<String>,
    /// `ok` or `failed`.
    pub result: Option<String>,
    /// Runs that began then or later, RFC 3339.
    #[serde(with = "periapt_model::time::micros::option")]
    #[param(value_type = Option<String>, format = DateTime)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<i64>,
    /// Runs that began then or earlier, RFC 3339.
    #[serde(with = "periapt_model::time::micros::option")]
    #[param(value_type = Option<String>, format = DateTime)]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub until: Option<i64>,
    pub limit: Option<u64>,
    pub after: Option<String>,
}
