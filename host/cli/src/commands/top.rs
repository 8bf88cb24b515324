//! `top`: the units whose hooks use most of what they may.

use clap::{Args, Subcommand, ValueEnum};
use periapt_wire::rest::{Top, TopBy, TopQuery};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::output::text;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// List the units whose hooks use most, with their share of what one hook may use.
    Top(Arguments),
}

#[derive(Debug, Args)]
pub struct Arguments {
    /// By what units are ordered.
    #[arg(long, value_enum, default_value_t)]
    pub by: By,
    /// How many units are listed, 1 to 1000.
    #[arg(long, default_value_t = 20)]
    pub limit: u64,
    /// Only hooks that began in the last so many seconds.
    #[arg(long, value_name = "SECONDS")]
    pub seconds: Option<u64>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum By {
    #[default]
    Time,
    Memory,
    Calls,
    State,
    Output,
}

impl From<By> for TopBy {
    fn from(by: By) -> Self {
        match by {
            By::Time => TopBy::Time,
            By::Memory => TopBy::Memory,
            By::Calls => TopBy::HostCalls,
            By::State => TopBy::StateDirectory,
            By::Output => TopBy::Output,
        }
    }
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::Top(arguments) = verb;
    let query = TopQuery {
        by: arguments.by.into(),
        seconds: arguments.seconds,
        limit: Some(arguments.limit),
    };
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let top = here.client().top(&here.model, &query).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&top),
        ListFormat::Yaml => output.yaml(&top),
        ListFormat::Tabular if top.units.is_empty() => {
            output.say("No hooks are recorded.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&top).render(output.paints())),
    }
}

fn table(top: &Top) -> Table {
    let columns = [
        "Unit", "Hooks", "Failed", "Time", "Longest", "Memory", "Calls", "State", "Output",
    ];
    let mut table = Table::new(&columns);
    for column in &columns[1..] {
        table = table.right(column);
    }
    let limits = top.limits;
    for used in &top.units {
        let most = used.most;
        let of = |shown: String, used: u64, limit: u64| match share(used, limit) {
            Some(share) => format!("{shown} ({share} %)"),
            None => shown,
        };
        table.row(vec![
            used.unit.to_string().into(),
            used.hooks.to_string().into(),
            used.failed.to_string().into(),
            seconds(used.total).into(),
            of(seconds(used.longest), used.longest, top.longest_limit).into(),
            of(
                text::bytes(most.memory_bytes),
                most.memory_bytes,
                limits.memory_bytes,
            )
            .into(),
            of(
                most.host_calls.to_string(),
                most.host_calls,
                limits.host_calls,
            )
            .into(),
            of(
                text::bytes(most.state_directory_bytes),
                most.state_directory_bytes,
                limits.state_directory_bytes,
            )
            .into(),
            of(
                text::bytes(most.output_bytes),
                most.output_bytes,
                limits.output_bytes,
            )
            .into(),
        ]);
    }
    table
}

/// Percent of a limit; none where there is no limit.
fn share(used: u64, limit: u64) -> Option<u64> {
    used.saturating_mul(100).checked_div(limit)
}

fn seconds(micros: u64) -> String {
    match micros {
        ..1_000_000 => format!("{:.1} ms", micros as f64 / 1e3),
        _ => format!("{:.1} s", micros as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn units_are_a_table_with_shares_of_the_limits() {
        let used = |memory: u64| json!({ "memory-bytes": memory, "host-calls": 5, "output-bytes": 0, "state-directory-bytes": 0 });
        let top: Top = serde_json::from_value(json!({
            "limits": used(2048),
            "longest-limit": 2_000_000,
            "units": [{
                "unit": "site/0", "application": "site", "hooks": 3, "failed": 1,
                "total": 1_500_000, "longest": 1_000_000, "most": used(1024),
            }],
        }))
        .unwrap();
        let shown = table(&top).render(false);
        for wanted in [
            "site/0",
            "1.5 s",
            "1.0 s (50 %)",
            "1.0 KiB (50 %)",
            "5 (100 %)",
        ] {
            assert!(shown.contains(wanted), "{wanted}: {shown}");
        }
    }

    #[test]
    fn a_limit_of_nothing_has_no_share() {
        assert_eq!((share(5, 0), share(1, 3)), (None, Some(33)));
    }
}
