//! `status` as a table, column for column as Juju prints it.

use std::collections::BTreeMap;

use periapt_model::ports::{PortRange, Protocol};
use periapt_wire::status::{FullStatus, MachineStatus, UnitStatus};
use serde_json::Value;

use super::{View, charm_parts, cloud};
use crate::output::storage;
use crate::output::table::{Cell, Table, Tone};
use crate::output::text::sorted;

/// Longer workload versions are cut, the last three places being dots.
const VERSION_WIDTH: usize = 15;

pub fn render(view: &View<'_>, paint: bool) -> String {
    let status = view.status;
    let mut sections = vec![
        model(view),
        applications(status),
        units(status),
        machines(status),
    ];
    if view.relations {
        sections.push(relations(status));
    }
    sections.push(storage::status_table(view.storages));
    let texts: Vec<String> = sections
        .iter()
        .map(|table| table.render(paint))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}

fn model(view: &View<'_>) -> Table {
    let model = &view.status.model;
    let place = match &model.region {
        Some(region) => format!("{}/{region}", cloud(&model.cloud_tag)),
        None => cloud(&model.cloud_tag).to_owned(),
    };
    let mut headers = vec!["Model", "Controller", "Cloud/Region", "Version"];
    let mut row: Vec<Cell> = vec![
        (&model.name).into(),
        view.controller.into(),
        place.into(),
        (&model.version).into(),
    ];
    if !model.sla.is_empty() {
        headers.push("SLA");
        row.push((&model.sla).into());
    }
    headers.push("Timestamp");
    row.push(
        view.times
            .wire_short(&view.status.controller_timestamp)
            .into(),
    );
    let notes = notes(view.status);
    if !notes.is_empty() {
        headers.push("Notes");
        row.push(Cell::toned(notes, Tone::Busy));
    }
    let mut table = Table::new(&headers);
    table.row(row);
    table
}

/// What is out of the ordinary about the model itself.
fn notes(status: &FullStatus) -> String {
    let now = &status.model.model_status;
    match now.status.as_str() {
        "" | "available" if !status.model.available_version.is_empty() => {
            format!("upgrade available: {}", status.model.available_version)
        }
        "" | "available" => String::new(),
        word if now.info.is_empty() => word.to_owned(),
        word => format!("{word}: {}", now.info),
    }
}

fn applications(status: &FullStatus) -> Table {
    let headers = [
        "App", "Version", "Status", "Scale", "Charm", "Channel", "Rev", "Exposed", "Message",
    ];
    let mut table = Table::new(&headers).right("Scale").right("Rev");
    for (name, application) in sorted(&status.applications) {
        let (charm, revision) = charm_parts(&application.charm);
        let units = all_units(status, name);
        // Units on their way still count as wanted.
        let ready = units
            .iter()
            .filter(|unit| unit.agent_status.status != "allocating")
            .count();
        let (scale, tone) = match units.len() {
            wanted if ready < wanted => (format!("{ready}/{wanted}"), Tone::Busy),
            wanted => (wanted.to_string(), Tone::Plain),
        };
        table.row(vec![
            name.into(),
            version(&application.workload_version).into(),
            Cell::status(&application.status.status),
            Cell::toned(scale, tone),
            charm.into(),
            (&application.charm_channel).into(),
            application
                .charm_rev
                .or(revision)
                .map(|revision| revision.to_string())
                .unwrap_or_default()
                .into(),
            if application.exposed { "yes" } else { "no" }.into(),
            (&application.status.info).into(),
        ]);
    }
    table
}

/// The units of an application; those of a subordinate stand under their principals.
pub(super) fn all_units<'a>(status: &'a FullStatus, application: &str) -> Vec<&'a UnitStatus> {
    let prefix = format!("{application}/");
    let mut found = Vec::new();
    for (name, unit) in status
        .applications
        .values()
        .flat_map(|application| application.units.iter().flatten())
    {
        if name.starts_with(&prefix) {
            found.push(unit);
        }
        let subordinates = unit.subordinates.iter().flatten();
        found.extend(
            subordinates
                .filter(|(name, _)| name.starts_with(&prefix))
                .map(|(_, unit)| unit),
        );
    }
    found
}

fn version(text: &str) -> String {
    if text.chars().count() <= VERSION_WIDTH {
        return text.to_owned();
    }
    text.chars()
        .take(VERSION_WIDTH - 3)
        .chain("...".chars())
        .collect()
}

fn units(status: &FullStatus) -> Table {
    let headers = [
        "Unit",
        "Workload",
        "Agent",
        "Machine",
        "Public address",
        "Ports",
        "Message",
    ];
    let mut table = Table::new(&headers);
    let all = status
        .applications
        .values()
        .flat_map(|application| application.units.iter().flatten());
    add_units(&mut table, sorted(all), 0);
    table
}

fn add_units(table: &mut Table, units: Vec<(&str, &UnitStatus)>, depth: usize) {
    for (name, unit) in units {
        let star = if unit.leader { "*" } else { "" };
        table.row(vec![
            Cell::indented(depth, &format!("{name}{star}")),
            Cell::status(&unit.workload_status.status),
            Cell::status(&unit.agent_status.status),
            (&unit.machine).into(),
            (&unit.public_address).into(),
            ports_of(unit).into(),
            message(unit).into(),
        ]);
        if let Some(subordinates) = &unit.subordinates {
            add_units(table, sorted(subordinates), depth + 1);
        }
    }
}

/// The workload's message, behind the hook that runs or what the agent waits for:
/// `(config-changed) serving`.
fn message(unit: &UnitStatus) -> String {
    let workload = &unit.workload_status.info;
    let doing = unit.agent_status.info.as_str();
    let hook = doing
        .strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" hook"));
    match (unit.agent_status.status.as_str(), hook) {
        ("executing", Some(hook)) => format!("({hook}) {workload}"),
        ("executing" | "idle" | "failed" | "stopped", _) if !doing.is_empty() => {
            format!("({doing}) {workload}")
        }
        _ => workload.clone(),
    }
}

/// The unit's ports, and which others stand for them where they could not be had:
/// `80/tcp (10080)`.
pub(super) fn ports_of(unit: &UnitStatus) -> String {
    let instead = unit.listening.iter().filter_map(|way| {
        let wanted: PortRange = way.port.parse().ok()?;
        let address: std::net::SocketAddr = way.address.parse().ok()?;
        let port = address.port();
        (port != wanted.start).then(|| port.to_string())
    });
    let instead: Vec<String> = instead.collect();
    let ports = ports(&unit.opened_ports);
    match instead.as_slice() {
        [] => ports,
        instead => format!("{ports} ({})", instead.join(",")),
    }
}

/// Ports by protocol, in their order, neighbours as one range: `80,8080-8081/tcp 53/udp`.
pub(super) fn ports(ranges: &[String]) -> String {
    let mut ranges: Vec<PortRange> = ranges.iter().filter_map(|text| text.parse().ok()).collect();
    ranges.sort_unstable();
    let mut merged: Vec<PortRange> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last)
                if last.protocol == range.protocol && range.start <= last.end.saturating_add(1) =>
            {
                last.end = last.end.max(range.end);
            }
            _ => merged.push(range),
        }
    }
    let words = merged
        .chunk_by(|left, right| left.protocol == right.protocol)
        .map(|same| {
            let shown: Vec<String> = same.iter().map(PortRange::to_string).collect();
            let numbers = shown
                .iter()
                .map(|text| text.split('/').next().unwrap_or(text));
            let numbers = numbers.collect::<Vec<_>>().join(",");
            match same.first().map(|range| range.protocol) {
                Some(protocol) if protocol != Protocol::Icmp => {
                    format!("{numbers}/{}", protocol.as_str())
                }
                _ => numbers,
            }
        });
    words.collect::<Vec<_>>().join(" ")
}

pub(super) fn machines(status: &FullStatus) -> Table {
    let mut table = Table::new(&[
        "Machine", "State", "Address", "Inst id", "Base", "AZ", "Message",
    ]);
    add_machines(&mut table, &status.machines);
    table
}

fn add_machines(table: &mut Table, machines: &BTreeMap<String, MachineStatus>) {
    for (id, machine) in sorted(machines) {
        let zone = machine
            .hardware
            .split(' ')
            .find_map(|word| word.strip_prefix("availability-zone="));
        let base = match (
            machine.base.name.as_str(),
            machine.base.channel.split('/').next().unwrap_or_default(),
        ) {
            ("", _) => String::new(),
            (name, "") => name.to_owned(),
            (name, channel) => format!("{name}@{channel}"),
        };
        table.row(vec![
            id.into(),
            Cell::status(&machine.agent_status.status),
            (&machine.dns_name).into(),
            (&machine.instance_id).into(),
            base.into(),
            zone.unwrap_or_default().into(),
            (&machine.instance_status.info).into(),
        ]);
        add_machines(table, &machine.containers);
    }
}

fn relations(status: &FullStatus) -> Table {
    let mut table = Table::new(&[
        "Integration provider",
        "Requirer",
        "Interface",
        "Type",
        "Message",
    ]);
    let mut rows = Vec::new();
    for relation in &status.relations {
        let end = |role: &str| {
            let end = relation
                .endpoints
                .iter()
                .find(|end| word(end, "role") == role);
            end.map(|end| format!("{}:{}", word(end, "application"), word(end, "name")))
        };
        let (provider, requirer, kind) = match end("peer") {
            Some(peer) => (peer.clone(), peer, "peer"),
            None => (
                end("provider").unwrap_or_default(),
                end("requirer").unwrap_or_default(),
                match relation.scope.as_str() {
                    "container" => "subordinate",
                    _ => "regular",
                },
            ),
        };
        let message = match (
            relation.status.status.as_str(),
            relation.status.info.as_str(),
        ) {
            ("joined" | "", "") => String::new(),
            (word, "") => word.to_owned(),
            (word, text) => format!("{word} - {text}"),
        };
        let interface = &relation.interface;
        rows.push([
            provider,
            requirer,
            interface.clone(),
            kind.to_owned(),
            message,
        ]);
    }
    rows.sort();
    for row in rows {
        table.row(row.iter().map(Cell::from).collect());
    }
    table
}

fn word<'a>(endpoint: &'a Value, key: &str) -> &'a str {
    endpoint
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
}
