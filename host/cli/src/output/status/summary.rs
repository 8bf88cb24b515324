//! `status --format summary`: how many of what.

use std::collections::{BTreeMap, BTreeSet};

use periapt_wire::status::FullStatus;

use super::tabular::{all_units, ports};
use crate::output::text::{clean_line, sorted};

pub fn render(status: &FullStatus) -> String {
    let machines = tally(
        status
            .machines
            .values()
            .map(|machine| machine.agent_status.status.as_str()),
    );
    let units: Vec<_> = status
        .applications
        .keys()
        .flat_map(|name| all_units(status, name))
        .collect();
    let states = tally(
        units
            .iter()
            .map(|unit| unit.workload_status.status.as_str()),
    );
    let open: BTreeSet<&String> = units.iter().flat_map(|unit| &unit.opened_ports).collect();
    let open: Vec<String> = open.into_iter().cloned().collect();
    let addresses: BTreeSet<&String> = status
        .machines
        .values()
        .flat_map(|machine| &machine.ip_addresses)
        .collect();
    let addresses: Vec<&str> = addresses.into_iter().map(String::as_str).collect();

    let mut lines = vec![
        entry("Running on addresses", &addresses.join(", ")),
        entry("Utilizing ports", &ports(&open)),
        entry("# Machines", &format!("({})", status.machines.len())),
    ];
    lines.extend(
        machines
            .iter()
            .map(|(state, count)| entry(state, &count.to_string())),
    );
    lines.push(String::new());
    lines.push(entry("# Units", &format!("({})", units.len())));
    lines.extend(
        states
            .iter()
            .map(|(state, count)| entry(state, &count.to_string())),
    );
    lines.push(String::new());
    lines.push(entry(
        "# Applications",
        &format!("({})", status.applications.len()),
    ));
    for (name, application) in sorted(&status.applications) {
        let all = all_units(status, name);
        let active = all
            .iter()
            .filter(|unit| unit.workload_status.status == "active")
            .count();
        let exposed = if application.exposed { "  exposed" } else { "" };
        lines.push(format!("{name:>21}  {active}/{}{exposed}", all.len()));
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

fn entry(label: &str, value: &str) -> String {
    format!("{:>21}:  {value}", clean_line(label))
}

fn tally<'a>(words: impl Iterator<Item = &'a str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(clean_line(word)).or_default() += 1;
    }
    counts
}
