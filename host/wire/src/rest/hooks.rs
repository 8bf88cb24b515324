//! Hooks that ran.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/hooks` | `HookQuery` | `Page<HookRun>`, newest first |
//! | `GET /v1/models/{model}/hooks/{id}` | | `HookRun` |

use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// One run of one hook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookRun {
    pub id: i64,
    pub unit: UnitName,
    pub application: ApplicationName,
    /// `config-changed`, with relation and remote unit where there are any.
    pub hook: String,
    pub charm: String,
    /// When its turn came, microseconds UTC.
    pub started_at: i64,
    /// From then until its commit was asked for or it had failed, microseconds.
    pub duration: i64,
    /// From chosen until its turn came, microseconds: for the machine's lock and a place.
    #[serde(default)]
    pub waited: i64,
    /// `ok` or `failed`.
    pub result: String,
    /// Stable code of the failure: `trap`, `wall-clock`, …
    pub code: String,
    pub message: String,
    /// What it changed, in words: `opened 80/tcp`, `state counter`, …
    pub effects: Vec<String>,
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
    pub since: Option<i64>,
    pub limit: Option<u64>,
    pub after: Option<String>,
}
