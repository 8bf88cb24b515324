//! Payloads: what charms say that they run by themselves.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../payloads` | `PayloadQuery` | `Page<UnitPayloads>` |

use periapt_model::{MachineId, UnitName};
use serde::{Deserialize, Serialize};

/// What the charm of one unit registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitPayloads {
    pub unit: UnitName,
    pub machine: Option<MachineId>,
    /// By class and id.
    pub payloads: Vec<PayloadInfo>,
}

/// One payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct PayloadInfo {
    /// One of those that the charm declares.
    pub class: String,
    /// Among those of its class in the unit.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    /// `starting`, `running`, `stopping` or `stopped`, as the charm said last.
    pub status: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct PayloadQuery {
    /// Only those of this unit; all units that have some when left out.
    pub unit: Option<String>,
    /// Units on a page, 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
