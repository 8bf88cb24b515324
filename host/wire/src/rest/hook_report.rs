//! All that is known of one run of a hook.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET …/hooks/{id}/report` | [`HookDetails`] |

use periapt_model::hook::effect::RunEffect;
use serde::{Deserialize, Serialize};

use super::{HookRun, TimelineEntry, WhyStep};

/// A run with what it logged, what was different from the last good one, and how long others take.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookDetails {
    pub run: HookRun,
    /// What it changed, in their order.
    pub effects: Vec<RunEffect>,
    /// How long this hook takes in this application; none while it never went well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<HookTypical>,
    /// The run before it of the same hook in the same unit that went well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_good: Option<i64>,
    /// Settings and charms of the application that are others since the last good run, the newest first.
    pub changed_since: Vec<TimelineEntry>,
    /// What the unit logged meanwhile, the oldest first.
    pub lines: Vec<HookLine>,
    /// Whether there are more lines than are told here.
    pub more_lines: bool,
    /// The chain of causes, from this run to what began it.
    #[serde(default)]
    #[schema(required = true)]
    pub why: Vec<WhyStep>,
}

/// How long runs of the same hook of the same application took that went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookTypical {
    /// Runs that were looked at, the newest.
    pub runs: u64,
    /// Half of them took no longer, microseconds.
    pub p50: i64,
    /// 99 of a hundred took no longer, microseconds.
    pub p99: i64,
}

/// A line of log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookLine {
    /// RFC 3339.
    #[schema(format = DateTime)]
    pub time: String,
    pub level: String,
    pub module: String,
    pub message: String,
}
