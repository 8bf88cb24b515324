//! What is shown of each row, in the shape of Juju's `FullStatus`: functions of the rows and of which
//! agents are there. Whatever a row here is made of beside itself is what [`super::picture`] makes
//! texts anew for.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::status::{
    Agent, ApplicationParts, Machine, Status, Workload, displayed, displayed_machine,
};
use periapt_model::{ApplicationName, JUJU_VERSION, Life, MachineId, UnitName};
use periapt_wire::rest::{RelationEndpoint, RelationInfo};
use periapt_wire::status::{
    ApplicationStatus, Base, DetailedStatus, MachineStatus, MeterStatus, ModelStatusInfo,
    RelationStatus, UnitStatus,
};
use serde_json::json;

use super::rfc3339;
use super::rows::Rows;
use crate::reach::public_address;
use crate::views::application::ApplicationRow;
use crate::views::machine::{self, MachineRow};
use crate::views::unit::UnitRow;
use crate::waiting;

/// Rows as seen while some agents are away.
pub(super) struct View<'a> {
    pub rows: &'a Rows,
    /// The machines whose agent is.
    lost: &'a BTreeSet<MachineId>,
}

impl<'a> View<'a> {
    pub fn new(rows: &'a Rows, lost: &'a BTreeSet<MachineId>) -> Self {
        Self { rows, lost }
    }

    pub fn model(&self) -> ModelStatusInfo {
        let row = &self.rows.model;
        ModelStatusInfo {
            name: row.name.clone(),
            kind: row.kind.clone(),
            cloud_tag: format!("cloud-{}", row.cloud),
            region: Some(row.region.clone()),
            version: JUJU_VERSION.to_owned(),
            model_status: DetailedStatus {
                status: row.status.clone(),
                info: row.message.clone(),
                since: Some(rfc3339(row.since)),
                life: row.life.as_status().to_owned(),
                ..DetailedStatus::default()
            },
            ..ModelStatusInfo::default()
        }
    }

    /// What a unit displays.
    pub fn said(&self, row: &UnitRow) -> (Status<Workload>, Status<Agent>) {
        let machine = row.machine.as_ref();
        let present = machine.is_some_and(|machine| !self.lost.contains(machine));
        displayed(&row.name, row.workload.clone(), row.agent.clone(), present)
    }

    /// A unit, but for its subordinates.
    pub fn unit(&self, row: &UnitRow) -> UnitStatus {
        let application = row.name.application();
        let (workload, agent) = self.said(row);
        let machine = row.machine.as_ref();
        let addresses =
            machine.and_then(|machine| Some(&self.rows.machines.get(machine)?.addresses));
        let wanted = self.rows.applications.get(&application);
        let exposure = wanted.map(|row| &row.exposure);
        let leader = self.rows.leaders.get(&application);
        UnitStatus {
            workload_status: detailed(
                match wanted {
                    Some(row) => row.awaits(workload),
                    None => workload,
                },
                Life::Alive,
            ),
            agent_status: DetailedStatus {
                version: JUJU_VERSION.to_owned(),
                ..detailed(agent, row.life)
            },
            workload_version: row.workload_version.clone(),
            // Of a subordinate, its principal's: both are on one machine. What is reached from outside is
            // so at an address of its own.
            public_address: exposure
                .and_then(|exposure| public_address(row.address, &row.openings, exposure))
                .or_else(|| addresses?.first().cloned())
                .unwrap_or_default(),
            machine: machine
                .filter(|_| row.principal.is_none())
                .map(MachineId::to_string)
                .unwrap_or_default(),
            opened_ports: row.openings.ranges().map(|open| open.to_string()).collect(),
            listening: match exposure.is_some_and(|exposure| !exposure.is_empty()) {
                true => row.reached.listening.clone(),
                false => Vec::new(),
            },
            // Shown only while it differs from the application's, as Juju does.
            charm: (row.charm.clone())
                .filter(|charm| wanted.map(|row| &row.charm) != Some(charm))
                .unwrap_or_default(),
            subordinates: None,
            leader: leader.is_some_and(|leader| leader == row.name.as_str()),
        }
    }

    /// The status of an application.
    pub fn derived(&self, row: &ApplicationRow) -> Status<Workload> {
        let units = self.rows.units_of(&row.name);
        let parts = ApplicationParts {
            trouble: row.trouble.clone(),
            set: row.set.clone(),
            units: units
                .map(|unit| (unit.workload.clone(), unit.agent.clone()))
                .collect(),
        };
        row.follow(parts.status())
    }

    /// An application with its principal units; a subordinate one has none of its own.
    pub fn application(
        &self,
        row: &ApplicationRow,
        units: BTreeMap<String, UnitStatus>,
    ) -> ApplicationStatus {
        let relations = self.rows.relations_of(&row.name);
        ApplicationStatus {
            charm_version: row.charm_revision.to_string(),
            charm_rev: Some(row.charm_revision),
            charm_channel: row.channel.clone(),
            can_upgrade_to: row.can_upgrade_to.clone(),
            charm: row.charm.clone(),
            base: base(),
            exposed: !row.exposure.is_empty(),
            exposed_endpoints: row.exposure.shown(),
            life: row.life.as_status().to_owned(),
            relations: related(&row.name, &relations),
            subordinate_to: match row.subordinate {
                true => self.principals(&relations),
                false => Vec::new(),
            },
            units: (!row.subordinate).then_some(units),
            meter_statuses: self.meters(&row.name),
            status: detailed(self.derived(row), Life::Alive),
            workload_version: row.workload_version.clone(),
            ..ApplicationStatus::default()
        }
    }

    /// The units of an application that are told something of their quotas.
    fn meters(&self, application: &ApplicationName) -> Option<BTreeMap<String, MeterStatus>> {
        let units = self.rows.units_of(application);
        let told: BTreeMap<String, MeterStatus> = units
            .filter_map(|unit| Some((unit.name.to_string(), unit.meter.clone()?.into())))
            .collect();
        (!told.is_empty()).then_some(told)
    }

    /// The principal applications in whose containers the units of a subordinate with these
    /// relations live.
    fn principals(&self, relations: &[&RelationInfo]) -> Vec<String> {
        let within = relations.iter().filter(|of| of.scope == "container");
        let ends = within.flat_map(|relation| &relation.endpoints);
        let found: BTreeSet<String> = ends
            .filter(|end| !self.is_subordinate(&end.application))
            .map(|end| end.application.to_string())
            .collect();
        found.into_iter().collect()
    }

    fn is_subordinate(&self, application: &ApplicationName) -> bool {
        let row = self.rows.applications.get(application);
        row.is_some_and(|row| row.subordinate)
    }

    /// Whether one of its ends is there.
    pub fn has_end(&self, relation: &RelationInfo) -> bool {
        let mut ends = relation.endpoints.iter();
        ends.any(|end| self.rows.applications.contains_key(&end.application))
    }

    pub fn relation(&self, relation: &RelationInfo) -> RelationStatus {
        let end = |end: &RelationEndpoint| {
            json!({
                "application": end.application, "name": end.name, "role": end.role,
                "subordinate": self.is_subordinate(&end.application),
            })
        };
        let info = match (
            relation.status.message.as_str(),
            relation.waiting_for.as_slice(),
        ) {
            ("", [_, ..]) => waits_for(&relation.waiting_for),
            (message, _) => message.to_owned(),
        };
        RelationStatus {
            id: relation.id,
            endpoints: relation.endpoints.iter().map(end).collect(),
            key: relation.key.clone(),
            interface: relation.interface.clone(),
            scope: relation.scope.clone(),
            status: DetailedStatus {
                status: relation.status.status.to_string(),
                info,
                since: Some(rfc3339(relation.status.since)),
                life: relation.life.as_status().to_owned(),
                ..DetailedStatus::default()
            },
        }
    }

    /// What a machine's agent displays.
    pub fn agent(&self, row: &MachineRow) -> Status<Machine> {
        displayed_machine(row.agent.clone(), !self.lost.contains(&row.id))
    }

    pub fn machine(&self, row: &MachineRow) -> MachineStatus {
        let units: Vec<UnitName> = match row.life {
            Life::Alive => Vec::new(),
            Life::Dying | Life::Dead => self.rows.units_on(&row.id).collect(),
        };
        let waiting = waiting::machine(
            &row.id,
            row.life,
            row.instance_id.is_some(),
            !self.lost.contains(&row.id),
            &units,
            &row.cleanups,
        );
        let mut instance = row.instance.clone();
        if !waiting.is_empty() {
            let waits = waits_for(&waiting);
            instance.message = match (instance.status, instance.message.as_str()) {
                (Machine::Running, _) | (_, "") => waits,
                // Why it does not stop comes first.
                (_, why) => format!("{why}; {waits}"),
            };
        }
        MachineStatus {
            agent_status: DetailedStatus {
                version: JUJU_VERSION.to_owned(),
                ..detailed(self.agent(row), row.life)
            },
            instance_status: detailed(instance, Life::Alive),
            dns_name: row.addresses.first().cloned().unwrap_or_default(),
            ip_addresses: row.addresses.clone(),
            instance_id: machine::instance_id(row.instance_id.clone()),
            base: base(),
            id: row.id.to_string(),
            hardware: row.hardware.clone(),
            constraints: row.constraints.clone(),
            jobs: vec!["JobHostUnits".to_owned()],
            ..MachineStatus::default()
        }
    }
}

/// The applications at the other ends, by endpoint; of peers the application itself.
fn related(
    application: &ApplicationName,
    relations: &[&RelationInfo],
) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for relation in relations {
        let ends = relation.endpoints.iter();
        for end in ends.filter(|end| end.application == *application) {
            let other = relation
                .endpoints
                .iter()
                .find(|other| *other != end)
                .unwrap_or(end);
            all.entry(end.name.clone())
                .or_default()
                .insert(other.application.to_string());
        }
    }
    all.into_iter()
        .map(|(endpoint, others)| (endpoint, others.into_iter().collect()))
        .collect()
}

fn waits_for(what: &[String]) -> String {
    format!("waits for {}", what.join(", "))
}

/// What charms run on here, in the place of an operating system.
fn base() -> Base {
    Base {
        name: "wasi".to_owned(),
        channel: "0.2".to_owned(),
    }
}

fn detailed<W: std::fmt::Display>(status: Status<W>, life: Life) -> DetailedStatus {
    DetailedStatus {
        status: status.status.to_string(),
        info: status.message,
        data: status.data,
        since: (status.since > 0).then(|| rfc3339(status.since)),
        life: life.as_status().to_owned(),
        ..DetailedStatus::default()
    }
}
