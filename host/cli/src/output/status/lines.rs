//! `status --format oneline` (also `short` and `line`): a line for each unit.

use periapt_wire::status::{FullStatus, UnitStatus};

use super::tabular::ports_of;
use crate::output::text::{clean_line, sorted};

pub fn render(status: &FullStatus) -> String {
    let mut out = String::new();
    let all = status
        .applications
        .values()
        .flat_map(|application| application.units.iter().flatten());
    add(&mut out, sorted(all), 0);
    out
}

fn add(out: &mut String, units: Vec<(&str, &UnitStatus)>, depth: usize) {
    for (name, unit) in units {
        let line = format!(
            "{}- {name}: {} (agent:{}, workload:{}) {}",
            "  ".repeat(depth),
            unit.public_address,
            unit.agent_status.status,
            unit.workload_status.status,
            ports_of(unit),
        );
        out.push_str(&clean_line(&line));
        out.push('\n');
        if let Some(subordinates) = &unit.subordinates {
            add(out, sorted(subordinates), depth + 1);
        }
    }
}
