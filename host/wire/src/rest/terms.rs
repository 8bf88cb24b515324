//! What holds of an application beside its options: how many units it has at the least.
//!
//! | method and path | answer |
//! |---|---|
//! | `PUT .../applications/{name}/min-units` with [`SetMinUnits`] | `ApplicationInfo` |

use serde::{Deserialize, Serialize};

/// Says how many units an application has at the least.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct SetMinUnits {
    /// 0 for no minimum.
    pub min_units: u32,
}
