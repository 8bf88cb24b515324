//! What hooks use of what they may, unit by unit: who takes most.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/top` | `TopQuery` | `Top`, whoever uses most first |

use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

use super::HookUsage;

/// By what units are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TopBy {
    /// All their hooks together.
    #[default]
    Time,
    Memory,
    HostCalls,
    StateDirectory,
    Output,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct TopQuery {
    /// `time` when left out.
    pub by: TopBy,
    /// Only hooks that began in the last so many seconds; all that are remembered when left out.
    pub seconds: Option<u64>,
    /// Units in the answer, 1 to 1000; 20 when left out.
    pub limit: Option<u64>,
}

/// The units that use most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Top {
    /// How much of each one hook may use.
    pub limits: HookUsage,
    /// How long one hook may take, microseconds.
    pub longest_limit: u64,
    pub units: Vec<UnitUsage>,
}

/// What the hooks of one unit used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitUsage {
    pub unit: UnitName,
    pub application: ApplicationName,
    /// How many ran.
    pub hooks: u64,
    /// How many of these failed.
    pub failed: u64,
    /// All of them together, microseconds.
    pub time: u64,
    /// The longest, microseconds.
    pub longest: u64,
    /// The most that one of them used of each.
    pub most: HookUsage,
}
