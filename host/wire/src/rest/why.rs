//! Why a unit is as it is.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET …/units/{unit}/why` | [`Why`] |

use periapt_model::UnitName;
use serde::{Deserialize, Serialize};

/// The chain of causes behind the last thing that a unit did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Why {
    pub unit: UnitName,
    /// The first is the unit's run, each further one is what the step before it comes from, and the last is what
    /// began all of it. Empty while no hook of the unit has run.
    pub steps: Vec<WhyStep>,
}

/// One step of a chain of causes, with the numbers that lead on from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct WhyStep {
    /// In words: `front/1 changed its settings in relation 3, in its hook config-changed`.
    pub text: String,
    /// When it was.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "periapt_model::time::micros::option"
    )]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub time: Option<i64>,
    /// Whose run it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitName>,
    /// The run of a hook or a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
    /// The record of the audit log; none for who may not read that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<i64>,
    /// The task that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<u64>,
}
