//! Puts the picture into the shape of Juju's `FullStatus`.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use periapt_model::status::{Status, derive_application};
use periapt_model::{Life, MachineId};
use periapt_wire::status::{
    ApplicationStatus, Base, DetailedStatus, FullStatus, MachineStatus, ModelStatusInfo, UnitStatus,
};

use super::pattern::Patterns;
use super::{ApplicationRow, MachineRow, Picture, Presence, UnitRow};
use crate::status::{shown, shown_machine};

/// The version of this program, which is that of its agents.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn full_status(
    picture: Picture,
    patterns: &Patterns<'_>,
    presence: Presence<'_>,
    now: i64,
) -> FullStatus {
    let Picture {
        model,
        applications,
        mut units,
        machines,
        leaders,
    } = picture;
    let addresses: std::collections::HashMap<MachineId, String> = machines
        .iter()
        .filter_map(|machine| Some((machine.id.clone(), machine.addresses.first()?.clone())))
        .collect();
    let mut full = FullStatus {
        controller_timestamp: rfc3339(now),
        ..FullStatus::default()
    };
    let mut used: HashSet<MachineId> = HashSet::new();
    for application in applications {
        let mut rows = units.remove(&application.name).unwrap_or_default();
        let derived = application.status.clone().unwrap_or_else(|| {
            derive_application(rows.iter().map(|row| {
                // A unit that cannot be heard of keeps what it said last.
                shown(&row.name, row.workload.clone(), row.agent.clone(), true).0
            }))
        });
        if !patterns.is_empty() && !patterns.name(application.name.as_str()) {
            rows.retain(|row| {
                patterns.name(row.name.as_str())
                    || row
                        .machine
                        .as_ref()
                        .is_some_and(|machine| patterns.name(machine.as_str()))
            });
            if rows.is_empty() {
                continue;
            }
        }
        used.extend(rows.iter().filter_map(|row| row.machine.clone()));
        let leader = leaders.get(&application.name).map(String::as_str);
        let name = application.name.to_string();
        let context = UnitContext {
            leader,
            addresses: &addresses,
            presence,
            charm: &application.charm,
        };
        let rows = unit_statuses(rows, &context);
        full.applications
            .insert(name, application_status(application, derived, rows));
    }
    for machine in machines {
        if patterns.is_empty() || used.contains(&machine.id) || patterns.name(machine.id.as_str()) {
            full.machines
                .insert(machine.id.to_string(), machine_status(machine, presence));
        }
    }
    let (word, message, since) = model.status;
    full.model = ModelStatusInfo {
        name: model.name,
        kind: "iaas".to_owned(),
        cloud_tag: "cloud-local".to_owned(),
        version: VERSION.to_owned(),
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

struct UnitContext<'a> {
    leader: Option<&'a str>,
    addresses: &'a std::collections::HashMap<MachineId, String>,
    presence: Presence<'a>,
    /// The charm the application wants.
    charm: &'a str,
}

/// Units by name, subordinates within their principal.
fn unit_statuses(rows: Vec<UnitRow>, context: &UnitContext<'_>) -> BTreeMap<String, UnitStatus> {
    rows.into_iter()
        .map(|row| {
            let present = row.machine.as_ref().is_some_and(context.presence);
            let (workload, agent) = shown(&row.name, row.workload, row.agent, present);
            let status = UnitStatus {
                workload_status: detailed(workload, Life::Alive),
                agent_status: DetailedStatus {
                    version: VERSION.to_owned(),
                    ..detailed(agent, row.life)
                },
                workload_version: row.workload_version,
                public_address: row
                    .machine
                    .as_ref()
                    .and_then(|machine| context.addresses.get(machine).cloned())
                    .unwrap_or_default(),
                machine: row
                    .machine
                    .map(String::from)
                    .filter(|_| row.principal.is_none())
                    .unwrap_or_default(),
                opened_ports: row.opened_ports,
                // Shown only while it differs from the application's, as Juju does.
                charm: row
                    .charm
                    .filter(|charm| charm != context.charm)
                    .unwrap_or_default(),
                subordinates: None,
                leader: context.leader == Some(row.name.as_str()),
            };
            (row.name.to_string(), status)
        })
        .collect()
}

fn application_status(
    row: ApplicationRow,
    status: Status<periapt_model::status::Workload>,
    units: BTreeMap<String, UnitStatus>,
) -> ApplicationStatus {
    ApplicationStatus {
        charm_version: row.charm_revision.to_string(),
        charm_rev: Some(row.charm_revision),
        charm: row.charm,
        base: base(),
        exposed: row.exposed,
        life: row.life.as_status().to_owned(),
        units: Some(units),
        status: detailed(status, Life::Alive),
        workload_version: row.workload_version,
        ..ApplicationStatus::default()
    }
}

fn machine_status(row: MachineRow, presence: Presence<'_>) -> MachineStatus {
    let agent = shown_machine(row.agent, presence(&row.id));
    MachineStatus {
        agent_status: DetailedStatus {
            version: VERSION.to_owned(),
            ..detailed(agent, row.life)
        },
        instance_status: detailed(row.instance, Life::Alive),
        dns_name: row.addresses.first().cloned().unwrap_or_default(),
        ip_addresses: row.addresses,
        instance_id: row.instance_id.unwrap_or_else(|| "pending".to_owned()),
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
