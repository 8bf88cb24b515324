//! What runs in the containers of units.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/services` | `ListQuery` | `Page<ServiceInfo>`, by unit, container and name |
//! | `GET /v1/models/{model}/checks` | `ListQuery` | `Page<CheckInfo>`, the same |
//! | `GET /v1/models/{model}/applications/{name}/traffic` | `TrafficQuery` | `Traffic` |

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
    /// Since when; 1970 before it was seen.
    #[serde(with = "periapt_model::time::seconds")]
    #[schema(value_type = String, format = DateTime)]
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
    /// Through what it went lately, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<ServicePassed>,
}

/// That a service came to be somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ServicePassed {
    #[serde(with = "periapt_model::time::seconds")]
    #[schema(value_type = String, format = DateTime)]
    pub at: i64,
    /// `starting`, `active`, `backoff`, …
    pub current: String,
    /// How it ended, in words, if that is what it left the place before by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
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

/// Query of the requests to an application.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct TrafficQuery {
    /// So many up to now: 1 to 1440; 60 when left out.
    pub minutes: Option<u64>,
    /// One of its units; all when left out.
    #[param(value_type = Option<String>)]
    #[schema(value_type = Option<String>)]
    pub unit: Option<UnitName>,
}

/// Requests that were answered, by the minute, oldest first. The last minute is not over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Traffic {
    pub minutes: Vec<TrafficMinute>,
}

/// The requests of a minute. Times until an answer was whole are in microseconds, and null where there was none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TrafficMinute {
    /// When it began.
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub time: i64,
    pub requests: u64,
    /// Answered with 4xx.
    pub client_errors: u64,
    /// Answered with 5xx, or cut off.
    pub server_errors: u64,
    pub mean: Option<i64>,
    /// Half of the answers took no longer.
    pub p50: Option<i64>,
    /// All but one in a hundred took no longer.
    pub p99: Option<i64>,
}
