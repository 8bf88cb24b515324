//! `debug-log`.

use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::LogQuery;

use super::Context;
use crate::arguments::{DebugLog, LogFormat, LogLines};
use crate::failure::{Failure, Outcome};
use crate::output::table::Tone;
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

const LEVELS: [&str; 5] = ["TRACE", "DEBUG", "INFO", "WARNING", "ERROR"];

pub async fn debug_log(context: &Context, arguments: DebugLog) -> Outcome {
    // A file is no terminal.
    let live = arguments.shown.target.output.is_none() && context.output.is_live();
    let query = query(&arguments, live)?;
    let here = ModelSession::open(&context.files, &arguments.shown.model).await?;
    show(context, &here, &query, &arguments.shown, line).await
}

/// Shows the lines of an answer as they come, each as `line` writes it.
pub(super) async fn show(
    context: &Context,
    here: &ModelSession,
    query: &LogQuery,
    shown: &LogLines,
    line: impl Fn(&LogRecord, &LogLines, &Times, bool) -> String,
) -> Outcome {
    let output = &context.output.to(&shown.target)?;
    let mut lines = here.client().logs(&here.model, query).await?;
    let times = Times::new(shown.utc);
    let paint = output.paints();
    while let Some(record) = lines.next().await {
        let record = record?;
        match shown.format {
            LogFormat::Json => output.json_line(&record)?,
            LogFormat::Text => output.data(&line(&record, shown, &times, paint))?,
        }
    }
    Ok(())
}

/// As in Juju, `--limit N` shows the most recent N lines, and `--limit 0` all of them.
fn query(arguments: &DebugLog, live: bool) -> Outcome<LogQuery> {
    let listed = |words: &[String]| (!words.is_empty()).then(|| words.join(","));
    let Reach {
        replay,
        tail,
        limit,
    } = reach(&arguments.shown, arguments.lines);
    Ok(LogQuery {
        include: listed(&arguments.include),
        exclude: listed(&arguments.exclude),
        include_module: listed(&arguments.include_module),
        exclude_module: listed(&arguments.exclude_module),
        level: Some(level(&arguments.level)?),
        replay,
        tail,
        limit,
        follow: arguments.tail || (live && !arguments.no_tail),
        ..LogQuery::default()
    })
}

/// How far back lines are shown, and how many.
pub(super) struct Reach {
    pub replay: bool,
    pub tail: Option<u64>,
    pub limit: Option<u64>,
}

pub(super) fn reach(shown: &LogLines, lines: u64) -> Reach {
    let replay = shown.replay || shown.limit == Some(0);
    let limit = shown.limit.filter(|limit| *limit > 0);
    Reach {
        replay,
        tail: (!replay).then(|| limit.unwrap_or(lines)),
        limit,
    }
}

fn level(word: &str) -> Outcome<String> {
    let word = word.to_ascii_uppercase();
    let word = if word == "WARN" { "WARNING" } else { &word };
    if LEVELS.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(Failure::usage(format!("there is no level \"{word}\""))
        .why("log lines have one of five levels")
        .advice(format!("use one of: {}", LEVELS.join(", "))))
}

/// `unit-site-0: 10:38:00 INFO unit.site/0.juju-log hello`
fn line(record: &LogRecord, shown: &LogLines, times: &Times, paint: bool) -> String {
    let tone = tone(&record.level);
    let level = clean_line(&record.level);
    format!(
        "{}: {} {} {} {}",
        record.entity,
        times.log(record.time, shown.date, shown.ms),
        if paint { tone.paint(&level) } else { level },
        clean_line(&record.module),
        clean_line(&record.message),
    )
}

pub(super) fn tone(level: &str) -> Tone {
    match level {
        "ERROR" => Tone::Bad,
        "WARNING" => Tone::Busy,
        "INFO" => Tone::Plain,
        _ => Tone::Quiet,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn arguments(line: &str) -> DebugLog {
        let words = ["periapt", "debug-log"]
            .into_iter()
            .chain(line.split_whitespace());
        match Arguments::try_parse_from(words).unwrap().command {
            Command::DebugLog(arguments) => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn flags_become_a_query_with_jujus_meaning_of_limit() {
        let asked = query(
            &arguments("-i unit-site-0,unit-db-* -x machine-0 -l warn --limit 5 --no-tail"),
            true,
        )
        .unwrap();
        assert_eq!(asked.include.as_deref(), Some("unit-site-0,unit-db-*"));
        assert_eq!(
            (asked.exclude.as_deref(), asked.level.as_deref()),
            (Some("machine-0"), Some("WARNING"))
        );
        assert_eq!(
            (asked.limit, asked.tail, asked.replay, asked.follow),
            (Some(5), Some(5), false, false)
        );
        let asked = query(&arguments("--limit 1000"), false).unwrap();
        assert_eq!((asked.limit, asked.tail), (Some(1000), Some(1000)));
        let all = query(&arguments("--limit 0"), false).unwrap();
        assert_eq!((all.limit, all.tail, all.replay), (None, None, true));
        let asked = query(&arguments("--replay"), true).unwrap();
        assert_eq!((asked.tail, asked.replay, asked.follow), (None, true, true));
        assert!(!query(&arguments(""), false).unwrap().follow);
        assert!(query(&arguments("--tail"), false).unwrap().follow);
        assert!(query(&arguments("-l loud"), false).is_err());
    }

    #[test]
    fn a_line_reads_as_jujus() {
        let record = LogRecord {
            time: 1_795_257_480_123_000,
            entity: "unit-site-0".parse().unwrap(),
            level: "INFO".to_owned(),
            module: "unit.site/0.juju-log".to_owned(),
            message: "hello\u{1b}[2J\nworld".to_owned(),
        };
        let times = Times::new(true);
        let text = line(&record, &arguments("").shown, &times, false);
        assert_eq!(
            text,
            "unit-site-0: 10:38:00 INFO unit.site/0.juju-log hello world"
        );
        let text = line(&record, &arguments("--date --ms").shown, &times, false);
        assert!(
            text.starts_with("unit-site-0: 2026-11-21 10:38:00.123 INFO "),
            "{text}"
        );
    }
}
