//! `status --format json` and `yaml`: the keys and nesting of Juju 3. What is absent is left out
//! and never null; the Python package `jubilant` reads the result.

use std::collections::BTreeMap;

use periapt_wire::rest::{ExposedEndpoint, ListeningPort, StorageInfo};
use periapt_wire::status::{
    ApplicationStatus, Base, DetailedStatus, FullStatus, MachineStatus, MeterStatus,
    RelationStatus, UnitStatus,
};
use serde::Serialize;
use serde_json::Value;

use super::{charm_parts, cloud};
use crate::output::document::Named;
use crate::output::storage::Combined;
use crate::output::text::clean;
use crate::output::time::Times;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Document {
    model: Model,
    machines: Named<Machine>,
    applications: Named<Application>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    application_endpoints: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    offers: BTreeMap<String, Value>,
    storage: Combined,
    controller: Controller,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Model {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    controller: String,
    cloud: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    upgrade_available: String,
    model_status: Status,
    #[serde(skip_serializing_if = "String::is_empty")]
    sla: String,
}

#[derive(Clone, Debug, Serialize)]
struct Controller {
    timestamp: String,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub current: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub since: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub life: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Machine {
    juju_status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    hostname: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    dns_name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ip_addresses: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    instance_id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    display_name: String,
    machine_status: Status,
    modification_status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<BaseDocument>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    containers: Named<Machine>,
    #[serde(skip_serializing_if = "String::is_empty")]
    constraints: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    hardware: String,
}

#[derive(Clone, Debug, Serialize)]
struct BaseDocument {
    name: String,
    channel: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Application {
    charm: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<BaseDocument>,
    charm_origin: &'static str,
    charm_name: String,
    charm_rev: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    charm_channel: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    charm_version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    charm_profile: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    can_upgrade_to: String,
    exposed: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    #[serde(skip_serializing_if = "String::is_empty")]
    life: String,
    application_status: Status,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    relations: BTreeMap<String, Vec<Related>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subordinate_to: Vec<String>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    units: Named<Unit>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    endpoint_bindings: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Related {
    related_application: String,
    interface: String,
    scope: String,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Unit {
    workload_status: Status,
    juju_status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    meter_status: Option<MeterStatus>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    leader: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    upgrading_from: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    machine: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_ports: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    listening: Vec<ListeningPort>,
    #[serde(skip_serializing_if = "String::is_empty")]
    public_address: String,
    #[serde(skip_serializing_if = "Named::is_empty")]
    subordinates: Named<Unit>,
}

impl Document {
    pub fn of(
        status: &FullStatus,
        storages: &[StorageInfo],
        controller: &str,
        times: &Times,
    ) -> Self {
        Self {
            model: Model {
                name: status.model.name.clone(),
                kind: status.model.kind.clone(),
                controller: controller.to_owned(),
                cloud: cloud(&status.model.cloud_tag).to_owned(),
                region: status.model.region.clone(),
                version: status.model.version.clone(),
                upgrade_available: status.model.available_version.clone(),
                model_status: detailed(&status.model.model_status, times),
                sla: status.model.sla.clone(),
            },
            machines: machines(&status.machines, times),
            applications: status
                .applications
                .iter()
                .map(|(name, application)| {
                    (
                        name.clone(),
                        self::application(name, application, status, times),
                    )
                })
                .collect(),
            application_endpoints: status.remote_applications.clone(),
            offers: status.offers.clone(),
            storage: Combined::of(storages, times),
            controller: Controller {
                timestamp: times.wire_short(&status.controller_timestamp),
            },
        }
    }
}

/// What `machines` shows.
#[derive(Clone, Debug, Serialize)]
pub struct Machines {
    model: String,
    machines: Named<Machine>,
}

impl Machines {
    pub fn of(status: &FullStatus, times: &Times) -> Self {
        Self {
            model: status.model.name.clone(),
            machines: machines(&status.machines, times),
        }
    }
}

pub fn detailed(status: &DetailedStatus, times: &Times) -> Status {
    Status {
        current: status.status.clone(),
        message: clean(&status.info),
        since: status
            .since
            .as_deref()
            .map(|since| times.wire(since))
            .unwrap_or_default(),
        version: status.version.clone(),
        life: status.life.clone(),
    }
}

fn base(base: &Base) -> Option<BaseDocument> {
    (!base.name.is_empty()).then(|| BaseDocument {
        name: base.name.clone(),
        channel: base.channel.clone(),
    })
}

fn machines(all: &BTreeMap<String, MachineStatus>, times: &Times) -> Named<Machine> {
    all.iter()
        .map(|(id, status)| (id.clone(), machine(status, times)))
        .collect()
}

fn machine(status: &MachineStatus, times: &Times) -> Machine {
    Machine {
        juju_status: detailed(&status.agent_status, times),
        hostname: status.hostname.clone(),
        dns_name: status.dns_name.clone(),
        ip_addresses: status.ip_addresses.clone(),
        instance_id: status.instance_id.clone(),
        display_name: status.display_name.clone(),
        machine_status: detailed(&status.instance_status, times),
        modification_status: detailed(&status.modification_status, times),
        base: base(&status.base),
        containers: machines(&status.containers, times),
        constraints: status.constraints.clone(),
        hardware: status.hardware.clone(),
    }
}

fn application(
    name: &str,
    application: &ApplicationStatus,
    status: &FullStatus,
    times: &Times,
) -> Application {
    let (charm_name, revision) = charm_parts(&application.charm);
    Application {
        charm: application.charm.clone(),
        base: base(&application.base),
        charm_origin: if application.charm.starts_with("local:") {
            "local"
        } else {
            "charmhub"
        },
        charm_name: charm_name.to_owned(),
        charm_rev: application.charm_rev.or(revision).unwrap_or_default(),
        charm_channel: clean(&application.charm_channel),
        charm_version: clean(&application.charm_version),
        charm_profile: application.charm_profile.clone(),
        can_upgrade_to: application.can_upgrade_to.clone(),
        exposed: application.exposed,
        exposed_endpoints: application.exposed_endpoints.clone(),
        life: application.life.clone(),
        application_status: detailed(&application.status, times),
        relations: relations(name, &application.relations, &status.relations),
        subordinate_to: application.subordinate_to.clone(),
        units: application
            .units
            .as_ref()
            .map(|all| units(all, &application.charm, true, status, times))
            .unwrap_or_default(),
        endpoint_bindings: application.endpoint_bindings.clone(),
        version: clean(&application.workload_version),
    }
}

/// Units under their application, or subordinates under their principal.
fn units(
    all: &BTreeMap<String, UnitStatus>,
    charm: &str,
    principal: bool,
    status: &FullStatus,
    times: &Times,
) -> Named<Unit> {
    all.iter()
        .map(|(name, unit)| {
            let document = Unit {
                workload_status: detailed(&unit.workload_status, times),
                juju_status: detailed(&unit.agent_status, times),
                meter_status: meter(name, status),
                leader: unit.leader,
                upgrading_from: if principal && unit.charm != charm {
                    unit.charm.clone()
                } else {
                    String::new()
                },
                machine: if principal {
                    unit.machine.clone()
                } else {
                    String::new()
                },
                open_ports: unit.opened_ports.clone(),
                listening: unit.listening.clone(),
                public_address: unit.public_address.clone(),
                subordinates: match &unit.subordinates {
                    Some(subordinates) => units(subordinates, charm, false, status, times),
                    None => Named::default(),
                },
            };
            (name.clone(), document)
        })
        .collect()
}

/// What a unit uses against its quotas, where that is shown: its application says it of all of its units.
fn meter(unit: &str, status: &FullStatus) -> Option<MeterStatus> {
    let (application, _) = unit.split_once('/')?;
    let told = status
        .applications
        .get(application)?
        .meter_statuses
        .as_ref()?;
    let meter = told.get(unit)?;
    Some(MeterStatus {
        color: clean(&meter.color),
        message: clean(&meter.message),
    })
}

fn relations(
    name: &str,
    endpoints: &BTreeMap<String, Vec<String>>,
    all: &[RelationStatus],
) -> BTreeMap<String, Vec<Related>> {
    endpoints
        .iter()
        .map(|(endpoint, applications)| {
            let related = applications.iter().map(|other| {
                let relation = all.iter().find(|relation| {
                    has_endpoint(relation, name, endpoint)
                        && (other == name
                            || relation
                                .endpoints
                                .iter()
                                .any(|end| text(end, "application") == *other))
                });
                Related {
                    related_application: other.clone(),
                    interface: relation
                        .map(|relation| relation.interface.clone())
                        .unwrap_or_default(),
                    scope: relation
                        .map(|relation| relation.scope.clone())
                        .unwrap_or_default(),
                }
            });
            (endpoint.clone(), related.collect())
        })
        .collect()
}

fn has_endpoint(relation: &RelationStatus, application: &str, endpoint: &str) -> bool {
    relation
        .endpoints
        .iter()
        .any(|end| text(end, "application") == application && text(end, "name") == endpoint)
}

fn text<'a>(endpoint: &'a Value, key: &str) -> &'a str {
    endpoint
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
