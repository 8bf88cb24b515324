//! `show-hook`: all that is known of one run of a hook.

use clap::{Args, Subcommand};
use periapt_model::hook::effect::{EffectChange, RunEffect};
use periapt_wire::rest::{HookDetails, HookUsage};

use super::Context;
use super::hooks::duration;
use super::timeline::sentence;
use super::why;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::text::{bytes, clean_line};
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show one hook run: its context, changes, resource use and log.
    ShowHook(ShowHook),
}

#[derive(Debug, Args)]
pub struct ShowHook {
    /// Number of the run, as `periapt hooks` shows it.
    #[arg(value_name = "ID")]
    pub id: i64,
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
    let Verb::ShowHook(arguments) = verb;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let details = here.client().hook_report(&here.model, arguments.id).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&details),
        ListFormat::Yaml => output.yaml(&details),
        ListFormat::Tabular => output.data(&told(&details, &Times::new(arguments.utc))),
    }
}

fn told(details: &HookDetails, times: &Times) -> String {
    let run = &details.run;
    let mut lines = Vec::new();
    let about = match run.about.as_str() {
        "" => String::new(),
        about => format!(" ({about})"),
    };
    lines.push(format!("{} of {}{about}", run.hook, run.unit));
    lines.push(format!("Started:   {}", times.micros(run.started_at)));
    let typical = match &details.typical {
        Some(typical) => format!(
            "; of {} runs half took at most {}",
            typical.runs,
            duration(typical.p50)
        ),
        None => String::new(),
    };
    lines.push(format!("Duration:  {}{typical}", duration(run.duration)));
    lines.push(match run.code.as_str() {
        "" => format!("Result:    {}", run.result),
        code => format!("Result:    {}: {} ({code})", run.result, run.message),
    });
    lines.push(format!("Charm:     {}", run.charm));
    if let Some(usage) = &run.usage {
        lines.push(format!("Used:      {}", used(usage, run.limits.as_ref())));
    }
    if let Some(good) = details.last_good {
        lines.push(format!("Last good: {good}"));
    }
    // Of the chain the run itself is told above.
    let why: Vec<String> = why::told(&details.why, times)
        .iter()
        .skip(1)
        .map(|line| line.trim_start().to_owned())
        .collect();
    let sections: [(&str, Vec<String>); 4] = [
        ("Why", why),
        ("Effects", details.effects.iter().map(effect).collect()),
        (
            "Changed since the last good run",
            details.changed_since.iter().map(sentence).collect(),
        ),
        (
            "Log",
            details
                .lines
                .iter()
                .map(|line| {
                    format!(
                        "{} {}: {}",
                        times.wire(&line.time),
                        line.level,
                        line.message
                    )
                })
                .collect(),
        ),
    ];
    for (title, items) in sections.iter().filter(|(_, items)| !items.is_empty()) {
        lines.push(String::new());
        lines.push(format!("{title}:"));
        lines.extend(items.iter().map(|item| format!("  {}", clean_line(item))));
    }
    if details.more_lines {
        lines.push("  and more: `periapt debug-log` shows all of them".to_owned());
    }
    let lines: Vec<String> = lines.iter().map(|line| keep_indent(line)).collect();
    format!("{}\n", lines.join("\n"))
}

/// Without what would disturb a terminal, and with the blanks before it.
fn keep_indent(line: &str) -> String {
    let text = line.trim_start();
    format!("{}{}", &line[..line.len() - text.len()], clean_line(text))
}

fn used(usage: &HookUsage, limits: Option<&HookUsage>) -> String {
    let of = |used: String, limit: Option<String>| match limit {
        Some(limit) => format!("{used} of {limit}"),
        None => used,
    };
    let memory = of(
        bytes(usage.memory_bytes),
        limits.map(|limits| bytes(limits.memory_bytes)),
    );
    let calls = of(
        usage.host_calls.to_string(),
        limits.map(|limits| limits.host_calls.to_string()),
    );
    format!("{memory} memory, {calls} host calls")
}

/// As in a difference: `+ port 443/tcp`.
fn effect(effect: &RunEffect) -> String {
    let mark = match effect.change {
        EffectChange::Added => '+',
        EffectChange::Changed => '~',
        EffectChange::Removed => '-',
    };
    let becomes = match &effect.becomes {
        Some(becomes) => format!(" = {becomes}"),
        None => String::new(),
    };
    format!("{mark} {}{becomes}", effect.subject)
}

#[cfg(test)]
mod tests {
    use periapt_model::hook::effect::listed;
    use periapt_wire::rest::{HookLine, HookRun, HookTypical, WhyStep};

    use super::*;

    fn step(text: &str) -> WhyStep {
        WhyStep {
            text: text.to_owned(),
            time: None,
            unit: None,
            run: None,
            audit: None,
            task: None,
        }
    }

    #[test]
    fn a_run_is_told_with_what_it_was_about_used_and_changed() {
        let words = ["opened 80/tcp", "status to active", "state old deleted"];
        let usage = HookUsage {
            memory_bytes: 1 << 20,
            host_calls: 12,
            ..HookUsage::default()
        };
        let limits = HookUsage {
            memory_bytes: 64 << 20,
            host_calls: 100_000,
            ..HookUsage::default()
        };
        let details = HookDetails {
            run: HookRun {
                id: 7,
                unit: "site/0".parse().unwrap(),
                application: "site".parse().unwrap(),
                hook: "db-relation-changed".to_owned(),
                about: "relation 3, back/0".to_owned(),
                charm: "local:site-0".to_owned(),
                started_at: 1_795_257_480_000_000,
                duration: 12_400,
                waited: 0,
                cause: "audit:807".to_owned(),
                result: "ok".to_owned(),
                code: String::new(),
                message: String::new(),
                effects: words.map(str::to_owned).to_vec(),
                usage: Some(usage),
                limits: Some(limits),
            },
            effects: listed(&words.map(str::to_owned)),
            typical: Some(HookTypical {
                runs: 20,
                p50: 1_850,
                p99: 9_000,
            }),
            last_good: Some(5),
            changed_since: Vec::new(),
            lines: vec![HookLine {
                time: "2026-11-21T10:38:00Z".to_owned(),
                level: "INFO".to_owned(),
                module: "unit.site/0".to_owned(),
                message: "hello\u{1b}[2J".to_owned(),
            }],
            more_lines: false,
            why: vec![
                step("site/0 ran db-relation-changed (relation 3, back/0)"),
                WhyStep {
                    audit: Some(807),
                    ..step("admin changed size of back")
                },
            ],
        };
        let told = told(&details, &Times::new(true));
        for line in [
            "db-relation-changed of site/0 (relation 3, back/0)",
            "Duration:  12 ms; of 20 runs half took at most 1.85 ms",
            "  + 80/tcp",
            "  ~ unit = active",
            "  - old",
            "Last good: 5",
            "  because admin changed size of back [audit 807]",
        ] {
            assert!(told.lines().any(|known| known == line), "{line}:\n{told}");
        }
        assert!(told.contains("12 of 100000 host calls"), "{told}");
        assert!(!told.contains('\u{1b}'), "{told}");
    }
}
