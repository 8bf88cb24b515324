//! `timeline`: what changed in a model, newest first.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use periapt_wire::rest::{TimelineEntry, TimelineKind, TimelineQuery};

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target, duration};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table, Tone};
use crate::output::time::Times;
use crate::session::ModelSession;

/// The controller gives no more at once.
const PAGE: u64 = 1_000;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show what changed in a model: changes, settings, revisions, hooks and statuses.
    Timeline(Timeline),
}

#[derive(Debug, Args)]
pub struct Timeline {
    /// Only show entries about this application.
    #[arg(value_name = "APPLICATION")]
    pub application: Option<String>,
    /// Only entries after this time, as in 2026-11-27T14:30:00Z.
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Only entries before this time.
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Only entries of this last period of time.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "from")]
    pub since: Option<std::time::Duration>,
    /// Kinds of entries: audit, config, revision, hook, status [default: all].
    #[arg(long, value_name = "KIND,...", value_delimiter = ',')]
    pub kinds: Vec<TimelineKind>,
    /// Show this many of the newest.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
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
    let Verb::Timeline(arguments) = verb;
    let mut query = query(&arguments, Timestamp::now());
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut entries: Vec<TimelineEntry> = Vec::new();
    loop {
        let wanted = arguments.limit.saturating_sub(entries.len() as u64);
        query.limit = Some(wanted.min(PAGE));
        let page = here.client().timeline(&here.model, &query).await?;
        entries.extend(page.items);
        query.after = page.next;
        if query.after.is_none() || entries.len() as u64 >= arguments.limit {
            break;
        }
    }
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&entries),
        ListFormat::Yaml => output.yaml(&entries),
        ListFormat::Tabular if entries.is_empty() => {
            output.say("Nothing changed.");
            Ok(())
        }
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            output.data(&table(&entries, &times).render(output.paints()))
        }
    }
}

fn query(arguments: &Timeline, now: Timestamp) -> TimelineQuery {
    let since = arguments.since.map(|since| {
        let since = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
        let from = now.as_microsecond().saturating_sub(since);
        Timestamp::from_microsecond(from)
            .unwrap_or_default()
            .to_string()
    });
    let kinds: Vec<&str> = arguments.kinds.iter().map(|kind| kind.as_str()).collect();
    TimelineQuery {
        from: arguments.from.clone().or(since),
        to: arguments.to.clone(),
        kinds: (!kinds.is_empty()).then(|| kinds.join(",")),
        application: arguments.application.clone(),
        ..TimelineQuery::default()
    }
}

fn table(entries: &[TimelineEntry], times: &Times) -> Table {
    let mut table = Table::new(&["Time", "Kind", "What", "Message"]);
    for entry in entries {
        let tone = match entry.result.as_str() {
            "ok" => Tone::Plain,
            _ => Tone::Bad,
        };
        table.row(vec![
            times.wire(&entry.time).into(),
            entry.kind.as_str().into(),
            Cell::toned(sentence(entry), tone),
            (&entry.message).into(),
        ]);
    }
    table
}

/// An entry as a sentence: `admin integrated front with site`, `changed title of front from "a" to "b"`.
pub(super) fn sentence(entry: &TimelineEntry) -> String {
    let mut words = vec![entry.who.clone(), entry.verb.clone(), entry.object.clone()];
    let quoted = |value: &String| format!("\"{value}\"");
    match (entry.kind, &entry.was, &entry.becomes) {
        (TimelineKind::Status, _, Some(becomes)) => {
            words = vec![entry.object.clone(), entry.verb.clone(), becomes.clone()];
        }
        (_, Some(was), Some(becomes)) => {
            words.push(format!("from {} to {}", quoted(was), quoted(becomes)));
        }
        (_, None, Some(becomes)) => words.push(format!("to {}", quoted(becomes))),
        (_, Some(was), None) => words.push(format!("from {} to its default", quoted(was))),
        (_, None, None) => {}
    }
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: TimelineKind, words: [&str; 3], values: [Option<&str>; 2]) -> TimelineEntry {
        let [who, verb, object] = words.map(str::to_owned);
        let [was, becomes] = values.map(|value| value.map(str::to_owned));
        TimelineEntry {
            id: "1".to_owned(),
            time: "2026-11-21T10:38:00Z".to_owned(),
            kind,
            who,
            verb,
            object,
            result: "ok".to_owned(),
            message: String::new(),
            was,
            becomes,
            about: Vec::new(),
            run: None,
        }
    }

    #[test]
    fn entries_are_sentences() {
        let audit = entry(
            TimelineKind::Audit,
            ["admin", "integrated", "front with site"],
            [None, None],
        );
        let config = |values| {
            entry(
                TimelineKind::Config,
                ["", "changed", "title of front"],
                values,
            )
        };
        let status = entry(
            TimelineKind::Status,
            ["", "became", "front/0"],
            [None, Some("active")],
        );
        assert_eq!(sentence(&audit), "admin integrated front with site");
        assert_eq!(
            sentence(&config([Some("a"), Some("b")])),
            "changed title of front from \"a\" to \"b\""
        );
        assert_eq!(
            sentence(&config([Some("a"), None])),
            "changed title of front from \"a\" to its default"
        );
        assert_eq!(sentence(&status), "front/0 became active");
        let expected = "\
Time                  Kind   What                              Message
2026-11-21 10:38:00Z  audit  admin integrated front with site
";
        assert_eq!(table(&[audit], &Times::new(true)).render(false), expected);
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_nearest() {
        use clap::Parser;

        use crate::arguments::Arguments;
        let wrong = Arguments::try_parse_from(["periapt", "timeline", "--kinds", "hooks"]);
        let wrong = wrong.unwrap_err().to_string();
        assert!(wrong.contains("did you mean \"hook\""), "{wrong}");
        let both = ["periapt", "timeline", "--from", "x", "--since", "1h"];
        assert!(Arguments::try_parse_from(both).is_err());
    }
}
