//! `why`: what led to the last thing that a unit did.

use clap::{Args, Subcommand};
use periapt_model::UnitName;
use periapt_wire::rest::{Why, WhyStep};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show the chain of causes behind the last thing that a unit did.
    Why(WhyArguments),
}

#[derive(Debug, Args)]
pub struct WhyArguments {
    /// The unit.
    #[arg(value_name = "UNIT")]
    pub unit: UnitName,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::Why(arguments) = verb;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let why = here.client().why(&here.model, &arguments.unit).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&why),
        ListFormat::Yaml => output.yaml(&why),
        ListFormat::Tabular if why.steps.is_empty() => {
            output.say(&none(&why));
            Ok(())
        }
        ListFormat::Tabular => {
            let lines = told(&why.steps, &Times::new(arguments.utc));
            output.data(&format!("{}\n", lines.join("\n")))
        }
    }
}

fn none(why: &Why) -> String {
    format!("No hook of {} has run yet.", why.unit)
}

/// A chain, one line for each step.
pub(super) fn told(steps: &[WhyStep], times: &Times) -> Vec<String> {
    let lines = steps.iter().enumerate().map(|(place, step)| {
        let because = match place {
            0 => "",
            _ => "  because ",
        };
        let text = clean_line(&step.text);
        match where_it_leads(step, times) {
            leads if leads.is_empty() => format!("{because}{text}"),
            leads => format!("{because}{text} [{leads}]"),
        }
    });
    lines.collect()
}

/// `run 812, 2026-11-27 14:30:00Z`
fn where_it_leads(step: &WhyStep, times: &Times) -> String {
    let parts = [
        step.run.map(|id| format!("run {id}")),
        step.task.map(|id| format!("task {id}")),
        step.audit.map(|id| format!("audit {id}")),
        step.time.map(|time| times.micros(time)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_is_told_step_by_step_with_the_numbers_that_lead_on() {
        let step = |text: &str| WhyStep {
            text: text.to_owned(),
            time: Some(1_795_257_480_000_000),
            unit: None,
            run: None,
            audit: None,
            task: None,
        };
        let steps = [
            WhyStep {
                run: Some(812),
                ..step("site/0 ran website-relation-changed (relation 3, front/1)")
            },
            WhyStep {
                audit: Some(807),
                ..step("admin changed title of front\u{1b}[2J")
            },
            WhyStep {
                time: None,
                ..step("what caused it was not recorded")
            },
        ];
        let lines = told(&steps, &Times::new(true));
        assert_eq!(
            lines[0],
            "site/0 ran website-relation-changed (relation 3, front/1) [run 812, 2026-11-21 10:38:00Z]"
        );
        assert!(lines[1].starts_with("  because admin changed title of front"));
        assert!(lines[1].ends_with(" [audit 807, 2026-11-21 10:38:00Z]"));
        assert!(!lines[1].contains('\u{1b}'), "{lines:?}");
        assert_eq!(lines[2], "  because what caused it was not recorded");
    }

    #[test]
    fn a_unit_without_hooks_is_said_plainly() {
        let why = Why {
            unit: "site/0".parse().unwrap(),
            steps: Vec::new(),
        };
        assert_eq!(none(&why), "No hook of site/0 has run yet.");
    }
}
