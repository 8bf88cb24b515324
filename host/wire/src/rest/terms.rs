//! What holds of an application beside its options: how many units it has at the least, whether it is
//! trusted, and what its units are told of what they use.
//!
//! | method and path | answer |
//! |---|---|
//! | `PUT .../applications/{name}/scale` with [`SetScale`] | `Scaled` |
//! | `PUT .../applications/{name}/min-units` with [`SetMinUnits`] | `ApplicationInfo` |
//! | `PUT .../applications/{name}/trust` with [`SetTrust`] | `ApplicationInfo` |
//! | `PUT .../applications/{name}/meter-status` with [`SetMeterStatus`] | `Empty` |
//! | `PUT .../units/{name}/{number}/meter-status` with [`SetMeterStatus`] | `Empty` |

use periapt_model::UnitName;
use serde::{Deserialize, Serialize};

use super::Removal;

/// Says how many units an application is to have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SetScale {
    pub units: u32,
    /// Units that are too many go even if their hooks fail or their agents are gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Storage that would outlive them goes with them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub destroy_storage: bool,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Scaled {
    /// All that the application is to have.
    pub units: Vec<UnitName>,
    /// Those of them that are new.
    pub added: Vec<UnitName>,
    /// What begins to go.
    pub removal: Removal,
}

/// Says how many units an application has at the least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SetMinUnits {
    /// 0 for no minimum.
    pub min_units: u32,
}

/// Trusts an application with the cloud's credential, or takes that back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SetTrust {
    pub trust: bool,
}

/// Gives units a meter status, which they are told unless their quotas say something worse.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SetMeterStatus {
    /// `GREEN`, which takes it back, `AMBER` or `RED`.
    pub color: String,
    /// What is told with it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}
