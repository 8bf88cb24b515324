//! What runs in the containers of units.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/services` | `ListQuery` | `Page<ServiceInfo>`, by unit, container and name |
//! | `GET /v1/models/{model}/checks` | `ListQuery` | `Page<CheckInfo>`, the same |

use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// A service of a unit's plan, as it was seen last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ServiceInfo {
    /// `docs/0:web/site`: unit, container, service.
    pub name: String,
    pub unit: UnitName,
    pub application: ApplicationName,
    pub container: String,
    pub service: String,
    pub summary: String,
    /// `http`.
    pub kind: String,
    /// `enabled`: started without being asked for; or `disabled`.
    pub startup: String,
    /// `active`, `backoff`, `failed`, …
    pub current: String,
    /// Since when, seconds since the epoch; 0 before it was seen.
    pub since: i64,
    pub restarts: u32,
    /// How it last ended, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_end: Option<String>,
    /// Where an http service answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Failures that nothing happens on have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarted_on: Vec<String>,
}

/// A check of a unit's plan, as it was seen last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CheckInfo {
    /// `docs/0:web/up`: unit, container, check.
    pub name: String,
    pub unit: UnitName,
    pub application: ApplicationName,
    pub container: String,
    pub check: String,
    /// `alive`, `ready`, or empty.
    pub level: String,
    /// `up`, `down` or `inactive`.
    pub status: String,
    pub successes: u64,
    /// One after the other, so far.
    pub failures: u32,
    /// So many make it down.
    pub threshold: u32,
    /// What the last failure said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What happens on a failure: `restart web`; empty where nothing does.
    pub on_failure: Vec<String>,
}
