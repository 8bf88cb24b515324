//! Machines and relations as resources.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET .../machines`, `GET .../machines/{machine}` | `Page<MachineInfo>`, `MachineInfo` |
//! | `GET .../units` | `Page<UnitInfo>` |
//! | `GET .../relations`, `GET .../relations/{id}` | `Page<RelationInfo>`, `RelationInfo` |
//! | `GET .../charms/{charm}` | `CharmInfo`; `{charm}` is the URL, percent-encoded |

use periapt_model::{ApplicationName, Life, MachineId, UnitName};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MachineInfo {
    pub id: MachineId,
    pub life: Life,
    pub instance_id: String,
    /// Of the machine agent: `started`, `pending`, `down`, …
    pub agent_status: String,
    pub agent_message: String,
    /// Of the instance, as its provider tells.
    pub instance_status: String,
    pub instance_message: String,
    pub addresses: Vec<String>,
    pub hardware: String,
    pub units: Vec<UnitName>,
    pub created_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RelationInfo {
    pub id: u64,
    /// `front:website site:website`.
    pub key: String,
    pub interface: String,
    /// `global` or `container`.
    pub scope: String,
    pub endpoints: Vec<RelationEndpoint>,
    pub status: String,
    pub message: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RelationEndpoint {
    pub application: ApplicationName,
    pub name: String,
    /// `provider`, `requirer` or `peer`.
    pub role: String,
}
