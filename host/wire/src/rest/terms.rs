//! What holds of an application beside its options: how many units it has at the least, whether it is
//! trusted, and what its units are told of what they use.
//!
//! | method and path | answer |
//! |---|---|
//! | `PUT .../applications/{name}/min-units` with [`SetMinUnits`] | `ApplicationInfo` |
//! | `PUT .../applications/{name}/trust` with [`SetTrust`] | `ApplicationInfo` |
//! | `PUT .../applications/{name}/meter-status` with [`SetMeterStatus`] | `Empty` |
//! | `PUT .../units/{name}/{number}/meter-status` with [`SetMeterStatus`] | `Empty` |

use serde::{Deserialize, Serialize};

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
