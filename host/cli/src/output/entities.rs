//! Units, applications and status entries as documents.

use std::collections::BTreeMap;

use periapt_model::status::Status;
use periapt_wire::rest::{
    ApplicationInfo, ExposedEndpoint, HistoryEntry, ListeningPort, UnitBag, UnitInfo, UnitRelation,
};
use periapt_wire::status::{Base, MeterStatus};
use serde::Serialize;

use super::document::Named;
use super::status::document;
use super::text::clean;
use super::time::Times;

/// `show-unit`, in Juju's keys; the statuses and what a removal waits for are ours.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitDocument {
    #[serde(skip_serializing_if = "String::is_empty")]
    workload_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    opened_ports: Vec<String>,
    /// Where those are that are reached from outside; ours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    listening: Vec<ListeningPort>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_address: Option<String>,
    charm: String,
    leader: bool,
    life: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subordinates: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    relation_info: Vec<RelationDocument>,
    workload_status: document::Status,
    juju_status: document::Status,
    /// What it uses against its quotas, unless that is green.
    #[serde(skip_serializing_if = "Option::is_none")]
    meter_status: Option<MeterStatus>,
    /// When a failed hook is run again without being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_retry: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting_for: Vec<String>,
}

impl UnitDocument {
    pub fn of(unit: &UnitInfo, times: &Times) -> Self {
        Self {
            workload_version: clean(&unit.workload_version),
            machine: unit.machine.as_ref().map(ToString::to_string),
            opened_ports: unit.opened_ports.clone(),
            listening: unit.listening.clone(),
            public_address: unit.public_address.clone(),
            charm: unit.charm.clone(),
            leader: unit.leader,
            principal: unit.principal.as_ref().map(ToString::to_string),
            subordinates: unit.subordinates.iter().map(ToString::to_string).collect(),
            relation_info: unit.relations.iter().map(RelationDocument::of).collect(),
            life: unit.life.to_string(),
            workload_status: stored(&unit.workload, times),
            juju_status: stored(&unit.agent, times),
            meter_status: unit.meter_status.clone(),
            // A failed hook is shown as the workload's status.
            next_retry: (unit.workload.data.get("next-retry"))
                .and_then(serde_json::Value::as_str)
                .and_then(periapt_model::time::parse)
                .map(|micros| times.micros(micros)),
            waiting_for: unit.waiting_for.iter().map(|text| clean(text)).collect(),
        }
    }
}

impl UnitDocument {
    /// The same without what units have set in their relations.
    pub fn of_applications_alone(mut self) -> Self {
        for relation in &mut self.relation_info {
            relation.local_unit = None;
            relation.related_units = Named::default();
        }
        self
    }
}

/// A relation as one of its units sees it. The local application's settings are ours.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct RelationDocument {
    relation_id: u64,
    endpoint: String,
    related_endpoint: String,
    application_data: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    local_application_data: BTreeMap<String, String>,
    /// Not where only the applications' settings are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    local_unit: Option<BagDocument>,
    #[serde(skip_serializing_if = "Named::is_empty")]
    related_units: Named<BagDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct BagDocument {
    in_scope: bool,
    data: BTreeMap<String, String>,
}

impl RelationDocument {
    fn of(relation: &UnitRelation) -> Self {
        let related = relation.related_units.iter();
        Self {
            relation_id: relation.relation_id,
            endpoint: relation.endpoint.clone(),
            related_endpoint: relation.related_endpoint.clone(),
            application_data: cleaned(&relation.application_data),
            local_application_data: cleaned(&relation.local_application_data),
            local_unit: Some(BagDocument::of(&relation.local_unit)),
            related_units: related
                .map(|(unit, bag)| (unit.to_string(), BagDocument::of(bag)))
                .collect(),
        }
    }
}

impl BagDocument {
    fn of(bag: &UnitBag) -> Self {
        Self {
            in_scope: bag.in_scope,
            data: cleaned(&bag.data),
        }
    }
}

/// Settings come from charms.
fn cleaned(settings: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let each = settings.iter();
    each.map(|(key, value)| (clean(key), clean(value)))
        .collect()
}

/// `show-application`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationDocument {
    charm: String,
    charm_url: String,
    charm_rev: u64,
    /// `wasi@0.2`, what its charm runs on.
    #[serde(skip_serializing_if = "String::is_empty")]
    base: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    channel: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    can_upgrade_to: String,
    principal: bool,
    /// Units that it has at the least; ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_units: Option<u32>,
    /// With the cloud's credential; ours.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trust: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    constraints: String,
    /// Never one of another model.
    remote: bool,
    exposed: bool,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    exposed_endpoints: BTreeMap<String, ExposedEndpoint>,
    /// Where it is found by name; ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What each unit has open, by its name; ours.
    opened_port_ranges: Named<Vec<String>>,
    life: String,
    application_status: document::Status,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    units: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting_for: Vec<String>,
}

impl ApplicationDocument {
    /// `units` are those of the application.
    pub fn of(application: &ApplicationInfo, units: &[UnitInfo], times: &Times) -> Self {
        let opened = units
            .iter()
            .filter(|unit| !unit.opened_ports.is_empty())
            .map(|unit| (unit.name.to_string(), unit.opened_ports.clone()));
        Self {
            charm: application.charm_name.clone(),
            charm_url: application.charm.clone(),
            charm_rev: application.charm_revision,
            base: String::new(),
            remote: false,
            channel: clean(&application.channel),
            can_upgrade_to: clean(&application.can_upgrade_to),
            principal: !application.subordinate,
            min_units: (application.min_units > 0).then_some(application.min_units),
            trust: application.trust,
            constraints: application.constraints.clone(),
            exposed: application.exposed,
            exposed_endpoints: application.exposed_endpoints.clone(),
            url: application.url.clone(),
            opened_port_ranges: opened.collect(),
            life: application.life.to_string(),
            application_status: stored(&application.status, times),
            version: clean(&application.workload_version),
            units: application.units.iter().map(ToString::to_string).collect(),
            waiting_for: (application.waiting_for.iter())
                .map(|text| clean(text))
                .collect(),
        }
    }
}

impl ApplicationDocument {
    /// With what its charm runs on.
    pub fn on(mut self, base: &Base) -> Self {
        self.base = format!("{}@{}", base.name, base.channel);
        self
    }
}

/// An entry of `show-status-log`.
#[derive(Serialize)]
pub struct HistoryDocument {
    since: String,
    #[serde(rename = "type")]
    kind: String,
    status: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

impl HistoryDocument {
    pub fn of(entry: &HistoryEntry, times: &Times) -> Self {
        Self {
            since: times.micros(entry.time),
            kind: entry.kind.clone(),
            status: entry.status.clone(),
            message: clean(&entry.message),
        }
    }
}

fn stored<W: std::fmt::Display>(status: &Status<W>, times: &Times) -> document::Status {
    document::Status {
        current: status.status.to_string(),
        message: clean(&status.message),
        since: times.micros(status.since),
        ..document::Status::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn status(word: &str) -> Value {
        json!({ "status": word, "message": "", "data": {}, "since": 0 })
    }

    fn front() -> UnitInfo {
        serde_json::from_value(json!({
            "name": "front/0", "application": "front", "charm": "local:front-0", "life": "alive", "machine": "0",
            "leader": true, "workload": status("active"), "agent": status("idle"), "opened-ports": [],
            "public-address": "127.0.0.1", "workload-version": "", "subordinates": ["log-shipper/0"],
            "relations": [{
                "relation-id": 3, "endpoint": "website", "related-endpoint": "web", "related-application": "site",
                "application-data": { "title": "Shop\u{1b}[2J" }, "local-application-data": {},
                "local-unit": { "in-scope": true, "data": { "private-address": "127.0.0.1" } },
                "related-units": {
                    "site/10": { "in-scope": true, "data": { "port": "81" } },
                    "site/9": { "in-scope": false, "data": {} },
                },
            }],
        }))
        .unwrap()
    }

    fn shown() -> Value {
        serde_json::to_value(UnitDocument::of(&front(), &Times::new(true))).unwrap()
    }

    #[test]
    fn an_application_shows_what_each_of_its_units_has_open() {
        let application: ApplicationInfo = serde_json::from_value(json!({
            "name": "front", "charm": "local:front-0", "charm-name": "front", "charm-revision": 0, "life": "alive",
            "exposed": false, "status": status("active"), "workload-version": "",
            "units": ["front/0", "front/2", "front/10"],
        }))
        .unwrap();
        let unit = |name: &str, ports: &[&str]| UnitInfo {
            name: name.parse().unwrap(),
            opened_ports: ports.iter().map(|port| (*port).to_owned()).collect(),
            ..front()
        };
        let units = [
            unit("front/10", &["80/tcp"]),
            unit("front/2", &["80/tcp", "9000-9010/udp"]),
            unit("front/0", &[]),
        ];
        let base = Base {
            name: "wasi".to_owned(),
            channel: "0.2".to_owned(),
        };
        let document = ApplicationDocument::of(&application, &units, &Times::new(true)).on(&base);
        let shown = serde_json::to_value(document).unwrap();
        assert_eq!(
            (&shown["base"], &shown["remote"]),
            (&json!("wasi@0.2"), &json!(false))
        );
        assert_eq!(
            shown["opened-port-ranges"],
            json!({ "front/2": ["80/tcp", "9000-9010/udp"], "front/10": ["80/tcp"] })
        );
    }

    #[test]
    fn a_unit_shows_both_bags_of_its_relations_in_jujus_keys() {
        let shown = shown();
        assert_eq!(
            shown["relation-info"],
            json!([{
                "relation-id": 3, "endpoint": "website", "related-endpoint": "web",
                "application-data": { "title": "Shop" },
                "local-unit": { "in-scope": true, "data": { "private-address": "127.0.0.1" } },
                "related-units": {
                    "site/9": { "in-scope": false, "data": {} },
                    "site/10": { "in-scope": true, "data": { "port": "81" } },
                },
            }])
        );
        assert_eq!(shown["subordinates"], json!(["log-shipper/0"]));
        assert!(shown.get("principal").is_none());
    }
}
