//! Puts the picture into the shape of Juju's `FullStatus`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use periapt_model::status::{
    ApplicationParts, Machine, Status, Workload, displayed, displayed_machine,
};
use periapt_model::{ApplicationName, JUJU_VERSION, Life, MachineId, UnitName};
use periapt_wire::rest::{RelationEndpoint, RelationInfo};
use periapt_wire::status::{
    ApplicationStatus, Base, DetailedStatus, FullStatus, MachineStatus, ModelStatusInfo,
    RelationStatus, UnitStatus,
};
use serde_json::json;

use super::pattern::Patterns;
use super::{ApplicationRow, MachineRow, Picture, Presence, UnitRow};
use crate::{machine, waiting};

/// Whether the agent that hosts a machine is there.
type Attended<'a> = &'a (dyn Fn(&MachineId) -> bool + Send + Sync);

pub(super) fn full_status(
    picture: Picture,
    patterns: &Patterns<'_>,
    presence: Presence<'_>,
    now: i64,
) -> FullStatus {
    let Picture {
        model,
        applications,
        units,
        machines,
        relations,
        leaders,
    } = picture;
    let addresses: HashMap<MachineId, String> = machines
        .iter()
        .filter_map(|machine| Some((machine.id.clone(), machine.addresses.first()?.clone())))
        .collect();
    let lost: HashSet<MachineId> = machines
        .iter()
        .filter(|machine| !presence(&machine.host))
        .map(|machine| machine.id.clone())
        .collect();
    let presence = |machine: &MachineId| !lost.contains(machine);
    let mut full = FullStatus {
        controller_timestamp: rfc3339(now),
        ..FullStatus::default()
    };
    let context = UnitContext {
        leaders: &leaders,
        addresses: &addresses,
        presence: &presence,
        charms: applications
            .iter()
            .map(|row| (row.name.clone(), row.charm.clone()))
            .collect(),
    };
    let derived = derived(&applications, &units);
    let mut inhabitants = inhabitants(&units);
    let shown = Shown::new(&units, patterns, &presence);
    let mut units = unit_statuses(units, &shown, &context);
    let ends = by_application(&relations);
    let subordinate: HashSet<ApplicationName> = applications
        .iter()
        .filter(|row| row.subordinate)
        .map(|row| row.name.clone())
        .collect();
    for application in applications {
        let name = &application.name;
        let wanted = patterns.is_empty()
            || patterns.name(name.as_str())
            || (derived.get(name)).is_some_and(|status| patterns.name(status.status.as_str()))
            || shown.applications.contains(name);
        if !wanted {
            continue;
        }
        let own = ends.get(name).map_or(&[][..], Vec::as_slice);
        let entry = ApplicationEntry {
            status: derived.get(name).cloned(),
            units: (!application.subordinate).then(|| units.remove(name).unwrap_or_default()),
            relations: related(name, own),
            subordinate_to: match application.subordinate {
                true => principals(own, &subordinate),
                false => Vec::new(),
            },
        };
        full.applications
            .insert(name.to_string(), application_status(application, entry));
    }
    full.relations = relations
        .into_iter()
        .filter(|relation| {
            let is_shown =
                |end: &RelationEndpoint| full.applications.contains_key(end.application.as_str());
            relation.endpoints.iter().any(is_shown)
        })
        .map(|relation| relation_status(relation, &subordinate))
        .collect();
    let used = shown.machines;
    for machine in machines {
        let wanted = patterns.is_empty()
            || used.contains(&machine.id)
            || patterns.name(machine.id.as_str())
            || patterns.name(machine.instance.status.as_str())
            || patterns.name(
                displayed_machine(machine.agent.clone(), presence(&machine.id))
                    .status
                    .as_str(),
            );
        if wanted {
            let units = inhabitants.remove(&machine.id).unwrap_or_default();
            full.machines.insert(
                machine.id.to_string(),
                machine_status(machine, &presence, &units),
            );
        }
    }
    let (word, message, since) = model.status;
    full.model = ModelStatusInfo {
        name: model.name,
        kind: model.kind,
        cloud_tag: format!("cloud-{}", model.cloud),
        region: Some(model.region),
        version: JUJU_VERSION.to_owned(),
        model_status: DetailedStatus {
            status: word,
            info: message,
            since: Some(rfc3339(since)),
            life: model.life.as_status().to_owned(),
            ..DetailedStatus::default()
        },
        ..ModelStatusInfo::default()
    };
    full
}

/// The applications' statuses.
fn derived(
    applications: &[ApplicationRow],
    units: &BTreeMap<ApplicationName, Vec<UnitRow>>,
) -> HashMap<ApplicationName, Status<Workload>> {
    applications
        .iter()
        .map(|application| {
            let rows = units.get(&application.name).into_iter().flatten();
            let parts = ApplicationParts {
                trouble: application.trouble.clone(),
                set: application.set.clone(),
                units: rows
                    .map(|row| (row.workload.clone(), row.agent.clone()))
                    .collect(),
            };
            (application.name.clone(), parts.status())
        })
        .collect()
}

/// What the patterns name, and what stands or falls with it.
struct Shown {
    everything: bool,
    units: HashSet<UnitName>,
    applications: HashSet<ApplicationName>,
    machines: HashSet<MachineId>,
}

impl Shown {
    /// A unit is shown when a pattern names it, its application, its machine, or the status that
    /// its workload or its agent shows. It brings its principal along, or its subordinates.
    fn new(
        all: &BTreeMap<ApplicationName, Vec<UnitRow>>,
        patterns: &Patterns<'_>,
        presence: Attended<'_>,
    ) -> Self {
        let rows = || all.values().flatten();
        let has_status = |row: &UnitRow| {
            let present = row.machine.as_ref().is_some_and(presence);
            let (workload, agent) =
                displayed(&row.name, row.workload.clone(), row.agent.clone(), present);
            patterns.name(workload.status.as_str()) || patterns.name(agent.status.as_str())
        };
        let named = |row: &&UnitRow| {
            patterns.is_empty()
                || patterns.name(row.name.as_str())
                || patterns.name(row.name.application().as_str())
                || (row.machine.as_ref()).is_some_and(|machine| patterns.name(machine.as_str()))
                || has_status(row)
        };
        let named: HashSet<&UnitName> = rows().filter(named).map(|row| &row.name).collect();
        let brought = |row: &&UnitRow| {
            (row.principal.as_ref()).is_some_and(|principal| named.contains(principal))
        };
        let mut units: HashSet<UnitName> = named.iter().map(|name| (*name).clone()).collect();
        units.extend(rows().filter(brought).map(|row| row.name.clone()));
        let principals = rows().filter(|row| named.contains(&row.name));
        units.extend(principals.filter_map(|row| row.principal.clone()));
        let found = || rows().filter(|row| units.contains(&row.name));
        Self {
            everything: patterns.is_empty(),
            applications: found().map(|row| row.name.application()).collect(),
            machines: found().filter_map(|row| row.machine.clone()).collect(),
            units,
        }
    }

    fn has(&self, unit: &UnitName) -> bool {
        self.everything || self.units.contains(unit)
    }
}

struct UnitContext<'a> {
    leaders: &'a HashMap<ApplicationName, String>,
    addresses: &'a HashMap<MachineId, String>,
    presence: Attended<'a>,
    /// The charms the applications want.
    charms: HashMap<ApplicationName, String>,
}

/// Principal units by application, each with its subordinates within.
fn unit_statuses(
    all: BTreeMap<ApplicationName, Vec<UnitRow>>,
    shown: &Shown,
    context: &UnitContext<'_>,
) -> HashMap<ApplicationName, BTreeMap<String, UnitStatus>> {
    let mut contained: HashMap<UnitName, BTreeMap<String, UnitStatus>> = HashMap::new();
    let mut principals = Vec::new();
    for row in all.into_values().flatten() {
        if !shown.has(&row.name) {
            continue;
        }
        match row.principal.clone() {
            Some(principal) => {
                let (name, status) = (row.name.to_string(), unit_status(row, context));
                contained.entry(principal).or_default().insert(name, status);
            }
            None => principals.push(row),
        }
    }
    let mut units: HashMap<ApplicationName, BTreeMap<String, UnitStatus>> = HashMap::new();
    for row in principals {
        let (name, subordinates) = (row.name.clone(), contained.remove(&row.name));
        let status = UnitStatus {
            subordinates,
            ..unit_status(row, context)
        };
        let of_application = units.entry(name.application()).or_default();
        of_application.insert(name.to_string(), status);
    }
    units
}

fn unit_status(row: UnitRow, context: &UnitContext<'_>) -> UnitStatus {
    let application = row.name.application();
    let present = row.machine.as_ref().is_some_and(context.presence);
    let (workload, agent) = displayed(&row.name, row.workload, row.agent, present);
    let address = row
        .machine
        .as_ref()
        .and_then(|machine| context.addresses.get(machine));
    UnitStatus {
        workload_status: detailed(workload, Life::Alive),
        agent_status: DetailedStatus {
            version: JUJU_VERSION.to_owned(),
            ..detailed(agent, row.life)
        },
        workload_version: row.workload_version,
        // Of a subordinate, its principal's: both are on one machine.
        public_address: address.cloned().unwrap_or_default(),
        machine: row
            .machine
            .map(String::from)
            .filter(|_| row.principal.is_none())
            .unwrap_or_default(),
        opened_ports: row.opened_ports,
        // Shown only while it differs from the application's, as Juju does.
        charm: row
            .charm
            .filter(|charm| context.charms.get(&application) != Some(charm))
            .unwrap_or_default(),
        subordinates: None,
        leader: context.leaders.get(&application).map(String::as_str) == Some(row.name.as_str()),
    }
}

/// What is shown of an application beside its row.
struct ApplicationEntry {
    status: Option<Status<Workload>>,
    units: Option<BTreeMap<String, UnitStatus>>,
    relations: BTreeMap<String, Vec<String>>,
    subordinate_to: Vec<String>,
}

fn application_status(row: ApplicationRow, entry: ApplicationEntry) -> ApplicationStatus {
    let unknown = || Status::new(Workload::Unknown, "");
    ApplicationStatus {
        charm_version: row.charm_revision.to_string(),
        charm_rev: Some(row.charm_revision),
        charm: row.charm,
        base: base(),
        exposed: row.exposed,
        life: row.life.as_status().to_owned(),
        relations: entry.relations,
        subordinate_to: entry.subordinate_to,
        units: entry.units,
        status: detailed(entry.status.unwrap_or_else(unknown), Life::Alive),
        workload_version: row.workload_version,
        ..ApplicationStatus::default()
    }
}

/// The relations of each application.
fn by_application(relations: &[RelationInfo]) -> HashMap<&ApplicationName, Vec<&RelationInfo>> {
    let mut found: HashMap<&ApplicationName, Vec<&RelationInfo>> = HashMap::new();
    for relation in relations {
        let ends = relation.endpoints.iter();
        for name in ends.map(|end| &end.application).collect::<BTreeSet<_>>() {
            found.entry(name).or_default().push(relation);
        }
    }
    found
}

/// The applications at the other ends, by endpoint; of peers the application itself.
fn related(
    application: &ApplicationName,
    relations: &[&RelationInfo],
) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for relation in relations {
        let own = relation
            .endpoints
            .iter()
            .filter(|end| end.application == *application);
        for end in own {
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

/// The principal applications in whose containers the units of a subordinate with these relations
/// live.
fn principals(relations: &[&RelationInfo], subordinate: &HashSet<ApplicationName>) -> Vec<String> {
    let found: BTreeSet<String> = relations
        .iter()
        .filter(|relation| relation.scope == "container")
        .flat_map(|relation| &relation.endpoints)
        .filter(|end| !subordinate.contains(&end.application))
        .map(|end| end.application.to_string())
        .collect();
    found.into_iter().collect()
}

fn relation_status(
    relation: RelationInfo,
    subordinate: &HashSet<ApplicationName>,
) -> RelationStatus {
    let end = |end: &RelationEndpoint| {
        json!({
            "application": end.application, "name": end.name, "role": end.role,
            "subordinate": subordinate.contains(&end.application),
        })
    };
    let info = match (relation.message.as_str(), relation.waiting_for.as_slice()) {
        ("", [_, ..]) => waits_for(&relation.waiting_for),
        _ => relation.message,
    };
    RelationStatus {
        id: relation.id,
        endpoints: relation.endpoints.iter().map(end).collect(),
        key: relation.key,
        interface: relation.interface,
        scope: relation.scope,
        status: DetailedStatus {
            status: relation.status,
            info,
            since: Some(rfc3339(relation.created_at)),
            life: relation.life.as_status().to_owned(),
            ..DetailedStatus::default()
        },
    }
}

/// The units of each machine.
fn inhabitants(
    units: &BTreeMap<ApplicationName, Vec<UnitRow>>,
) -> HashMap<MachineId, Vec<UnitName>> {
    let mut found: HashMap<MachineId, Vec<UnitName>> = HashMap::new();
    for unit in units.values().flatten() {
        if let Some(machine) = &unit.machine {
            let there = found.entry(machine.clone()).or_default();
            there.push(unit.name.clone());
        }
    }
    found
}

fn waits_for(what: &[String]) -> String {
    format!("waits for {}", what.join(", "))
}

fn machine_status(row: MachineRow, presence: Attended<'_>, units: &[UnitName]) -> MachineStatus {
    let present = presence(&row.id);
    let agent = displayed_machine(row.agent, present);
    let provisioned = row.instance_id.is_some();
    let waiting = waiting::machine(
        &row.id,
        row.life,
        provisioned,
        present,
        units,
        &row.cleanups,
    );
    let mut instance = row.instance;
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
            ..detailed(agent, row.life)
        },
        instance_status: detailed(instance, Life::Alive),
        dns_name: row.addresses.first().cloned().unwrap_or_default(),
        ip_addresses: row.addresses,
        instance_id: machine::instance_id(row.instance_id),
        base: base(),
        id: row.id.to_string(),
        hardware: row.hardware,
        jobs: vec!["JobHostUnits".to_owned()],
        ..MachineStatus::default()
    }
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

/// Microseconds since the epoch as RFC 3339 text in UTC.
pub(crate) fn rfc3339(microseconds: i64) -> String {
    Timestamp::from_microsecond(microseconds)
        .map(|time| time.to_string())
        .unwrap_or_default()
}
