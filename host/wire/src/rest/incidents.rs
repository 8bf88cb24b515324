//! What is wrong in a model, by application, hook and reason.
//!
//! | method and path | body | answer |
//! |---|---|---|
//! | `GET …/incidents` | [`IncidentQuery`] | `Page<IncidentInfo>`, the worst first |
//! | `POST …/incidents/{id}/retry`, `POST …/incidents/{id}/skip` | | [`IncidentAnswer`] |
//! | `POST …/incidents/{id}/silence` | [`SilenceIncident`] | [`SilenceInfo`] |
//! | `DELETE …/incidents/{id}/silence` | | `Empty` |

use periapt_model::{ApplicationName, MachineId, UnitName};
use serde::{Deserialize, Serialize};

use super::TimelineEntry;

/// Units of an application that fail in one hook for one reason; or an application or a machine by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct IncidentInfo {
    /// The same while the cause is the same: `front-start-1b2c3d4e`.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineId>,
    /// `error`, `lost`, `failed`, `blocked`, `down`, `provisioning error`.
    pub status: String,
    /// The hook that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    pub reason: String,
    pub units: Vec<UnitName>,
    /// When it began, RFC 3339.
    pub since: String,
    /// Runs of the hook that failed since, of all units together.
    pub attempts: u64,
    /// Of the unit that is tried again next, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_retry: Option<String>,
    /// What the next try waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// Whether it is a failed hook, which can be retried and skipped.
    pub retriable: bool,
    /// The last run that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
    /// The last line that one of the units logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_line: Option<IncidentLine>,
    /// What was changed right before it began, the newest first.
    pub changed_before: Vec<TimelineEntry>,
    /// While nobody wants to hear of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silenced: Option<SilenceInfo>,
}

/// A line of log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct IncidentLine {
    /// RFC 3339.
    pub time: String,
    pub unit: UnitName,
    pub level: String,
    pub message: String,
}

/// That nobody wants to hear of an incident.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SilenceInfo {
    /// RFC 3339.
    pub since: String,
    /// RFC 3339; none until the incident changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// For how long nobody wants to hear of an incident.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SilenceIncident {
    /// Seconds, at most a year; until it changes when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

/// The units that were told to retry or skip their failed hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct IncidentAnswer {
    pub units: Vec<UnitName>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct IncidentQuery {
    pub application: Option<String>,
    /// `true`: only silenced ones; `false`: only others. Both when left out.
    pub silenced: Option<bool>,
    /// Incidents of a page, 100 when left out, at most 1,000.
    pub limit: Option<u64>,
    /// The id of the last incident of the page before.
    pub after: Option<String>,
}
