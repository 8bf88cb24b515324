//! Machines and relations as resources.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET .../machines`, `GET .../machines/{machine}` | `Page<MachineInfo>`, `MachineInfo` |
//! | `GET .../units` | `Page<UnitInfo>` |
//! | `POST .../machines` with [`AddMachines`] | the new `MachineInfo`s |
//! | `DELETE .../machines/{machine}?force=` | `Removal` |
//! | `POST .../machines/{machine}/retry-provisioning` | `MachineInfo` |
//! | `GET .../relations`, `GET .../relations/{id}` | `Page<RelationInfo>`, `RelationInfo` |
//! | `POST .../relations` with [`Integrate`] | `RelationInfo` |
//! | `PATCH .../relations/{id}` with [`ChangeRelation`] | `RelationInfo` |
//! | `DELETE .../relations/{id}?force=` | `Removal`: the subordinate units that go with it |
//! | `GET .../charms/{charm}` | `CharmInfo`; `{charm}` is the URL, percent-encoded |

use std::collections::BTreeMap;

use periapt_model::status::{Machine, Relation, Status};
use periapt_model::{ApplicationName, Life, MachineId, UnitName};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MachineInfo {
    pub id: MachineId,
    pub life: Life,
    pub instance_id: String,
    /// Of the machine agent.
    pub agent: Status<Machine>,
    /// Of the instance, as its provider tells.
    pub instance: Status<Machine>,
    pub addresses: Vec<String>,
    pub hardware: String,
    /// What it had to be like when it was made, `arch=amd64 mem=4096M`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub constraints: String,
    pub units: Vec<UnitName>,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    /// What its removal still waits for, in words.
    #[serde(default)]
    #[schema(required = true)]
    pub waiting_for: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RelationInfo {
    pub id: u64,
    /// `front:website site:website`.
    pub key: String,
    pub interface: String,
    /// `global` or `container`.
    pub scope: String,
    pub endpoints: Vec<RelationEndpoint>,
    pub life: Life,
    /// Its message is why it is suspended.
    pub status: Status<Relation>,
    #[serde(default)]
    #[schema(required = true)]
    pub suspended: bool,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub created_at: i64,
    /// Grows whenever somebody enters the relation or changes settings in it.
    #[serde(default)]
    pub settings_version: u64,
    /// What its removal or suspension still waits for, in words.
    #[serde(default)]
    #[schema(required = true)]
    pub waiting_for: Vec<String>,
}

/// Two endpoints to relate, each `APPLICATION` or `APPLICATION:ENDPOINT`.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Integrate {
    #[schema(min_items = 2, max_items = 2)]
    pub endpoints: Vec<String>,
}

/// Suspends or resumes a relation.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ChangeRelation {
    pub suspended: bool,
    /// Shown in status while it is suspended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AddMachines {
    pub count: u32,
    /// What they have to be like, over what holds of the model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub constraints: String,
}

/// One relation as one of its units sees it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitRelation {
    pub relation_id: u64,
    pub endpoint: String,
    pub related_endpoint: String,
    pub related_application: ApplicationName,
    /// Settings of the application at the other end.
    pub application_data: BTreeMap<String, String>,
    /// Settings of the unit's own application.
    pub local_application_data: BTreeMap<String, String>,
    pub local_unit: UnitBag,
    pub related_units: BTreeMap<UnitName, UnitBag>,
}

/// A unit's settings in a relation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitBag {
    pub in_scope: bool,
    pub data: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RelationEndpoint {
    pub application: ApplicationName,
    pub name: String,
    /// `provider`, `requirer` or `peer`.
    pub role: String,
}
