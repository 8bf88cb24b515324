//! `FullStatus`: the picture of a model that `status` shows, in the shape of Juju's
//! `Client.FullStatus` result. Absent optionals are left out, never null.

use std::collections::BTreeMap;

use periapt_model::quota::Meter;

use crate::rest::{ExposedEndpoint, ListeningPort};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct FullStatus {
    pub model: ModelStatusInfo,
    pub machines: BTreeMap<String, MachineStatus>,
    pub applications: BTreeMap<String, ApplicationStatus>,
    pub remote_applications: BTreeMap<String, Value>,
    pub offers: BTreeMap<String, Value>,
    pub relations: Vec<RelationStatus>,
    /// RFC 3339.
    pub controller_timestamp: String,
    pub branches: BTreeMap<String, Value>,
}

/// `life` is empty while alive; `since` is RFC 3339.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DetailedStatus {
    pub status: String,
    pub info: String,
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
    #[schema(format = DateTime)]
    pub since: Option<String>,
    pub kind: String,
    pub version: String,
    pub life: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ModelStatusInfo {
    pub name: String,
    /// `iaas` or `caas`.
    #[serde(rename = "type")]
    pub kind: String,
    pub cloud_tag: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    pub version: String,
    pub available_version: String,
    pub model_status: DetailedStatus,
    pub meter_status: MeterStatus,
    pub sla: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct MeterStatus {
    /// `amber` or `red`; one that is green is not shown.
    pub color: String,
    pub message: String,
}

impl From<Meter> for MeterStatus {
    fn from(meter: Meter) -> Self {
        Self {
            color: meter.code.color().to_owned(),
            message: meter.info,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Base {
    pub name: String,
    pub channel: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MachineStatus {
    pub agent_status: DetailedStatus,
    pub instance_status: DetailedStatus,
    pub modification_status: DetailedStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    pub dns_name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ip_addresses: Vec<String>,
    pub instance_id: String,
    pub display_name: String,
    pub base: Base,
    pub id: String,
    #[schema(no_recursion)]
    pub containers: BTreeMap<String, MachineStatus>,
    pub constraints: String,
    pub hardware: String,
    pub jobs: Vec<String>,
    pub has_vote: bool,
    pub wants_vote: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationStatus {
    /// Charm URL, `local:site-0`.
    pub charm: String,
    pub charm_version: String,
    pub charm_profile: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charm_rev: Option<u64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub charm_channel: String,
    pub base: Base,
    pub exposed: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    pub life: String,
    pub relations: BTreeMap<String, Vec<String>>,
    pub can_upgrade_to: String,
    pub subordinate_to: Vec<String>,
    pub units: Option<BTreeMap<String, UnitStatus>>,
    pub meter_statuses: Option<BTreeMap<String, MeterStatus>>,
    pub status: DetailedStatus,
    pub workload_version: String,
    pub endpoint_bindings: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitStatus {
    pub agent_status: DetailedStatus,
    pub workload_status: DetailedStatus,
    pub workload_version: String,
    pub machine: String,
    pub opened_ports: Vec<String>,
    /// Where those listen that are reached from outside; ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listening: Vec<ListeningPort>,
    pub public_address: String,
    pub charm: String,
    #[schema(no_recursion)]
    pub subordinates: Option<BTreeMap<String, UnitStatus>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leader: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RelationStatus {
    pub id: u64,
    pub key: String,
    pub interface: String,
    pub scope: String,
    pub endpoints: Vec<Value>,
    pub status: DetailedStatus,
}
