//! What holds of an application beside its options: how many units it has at the least, and whether it is trusted.
//!
//! | method and path | answer |
//! |---|---|
//! | `PUT .../applications/{name}/min-units` with [`SetMinUnits`] | `ApplicationInfo` |
//! | `PUT .../applications/{name}/trust` with [`SetTrust`] | `ApplicationInfo` |

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
