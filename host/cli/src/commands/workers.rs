//! `workers`: the whole catalogue, and what each worker is doing.

use std::collections::BTreeMap;

use periapt_wire::rest::WorkerRow;

use super::Context;
use crate::arguments::{ListFormat, Workers};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table};
use crate::session::{ModelSession, Session};

pub async fn list(context: &Context, arguments: Workers) -> Outcome {
    let rows = match &arguments.model.model {
        Some(_) => {
            let here = ModelSession::open(&context.files, &arguments.model).await?;
            here.client().workers(&here.model).await?
        }
        None => {
            Session::open_named(&context.files, None)
                .await?
                .client
                .controller_workers()
                .await?
        }
    };
    // A worker of several agents names them all: `model, machine`.
    let wanted = |filter: &Option<String>, words: &str| {
        filter
            .as_deref()
            .is_none_or(|filter| words.split(", ").any(|word| word == filter))
    };
    let rows: Vec<WorkerRow> = rows
        .into_iter()
        .filter(|row| wanted(&arguments.agent, &row.agent) && wanted(&arguments.state, &row.state))
        .collect();
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&rows),
        ListFormat::Yaml => output.yaml(&rows),
        ListFormat::Tabular => {
            output.data(&table(&rows).render(output.paints()))?;
            output.say(&totals(&rows));
            Ok(())
        }
    }
}

fn table(rows: &[WorkerRow]) -> Table {
    let mut table = Table::new(&[
        "Agent", "Worker", "State", "Running", "Starts", "Tests", "Reason",
    ])
    .right("Running")
    .right("Starts");
    for row in rows {
        table.row(vec![
            (&row.agent).into(),
            (&row.worker).into(),
            Cell::status(&row.state),
            row.running.to_string().into(),
            row.start_count.to_string().into(),
            row.tests.join(", ").into(),
            said(row).into(),
        ]);
    }
    table
}

/// Why it does not run, or what it promises instead of what Juju's does.
fn said(row: &WorkerRow) -> String {
    [row.reason.as_str(), row.sentence.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("; ")
}

/// `109 workers: 40 running, 69 uninstalled`
fn totals(rows: &[WorkerRow]) -> String {
    let mut states: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *states.entry(&row.state).or_default() += 1;
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    format!("{} workers: {}", rows.len(), states.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_a_table_with_totals() {
        let row = |worker: &str, state: &str, reason: &str, running| WorkerRow {
            worker: worker.to_owned(),
            agent: "model".to_owned(),
            state: state.to_owned(),
            reason: reason.to_owned(),
            running,
            start_count: running,
            sentence: match worker {
                "firewaller" => "When it rains, then it pours.".to_owned(),
                _ => String::new(),
            },
            tests: match worker {
                "provisioner" => vec!["a_machine_starts".to_owned()],
                _ => Vec::new(),
            },
        };
        let rows = [
            row("provisioner", "running", "", 12),
            row("firewaller", "resting", "environ", 0),
        ];
        let expected = "\
Agent  Worker       State    Running  Starts  Tests             Reason
model  provisioner  running       12      12  a_machine_starts
model  firewaller   resting        0       0                    environ; When it rains, then it pours.
";
        assert_eq!(table(&rows).render(false), expected);
        assert_eq!(totals(&rows), "2 workers: 1 resting, 1 running");
    }
}
