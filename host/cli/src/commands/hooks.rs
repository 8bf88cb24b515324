//! `hooks`: what ran, when, for how long and how it ended.

use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{HookQuery, HookRun, HookUsage};
use serde::Serialize;

use super::Context;
use crate::arguments::{Hooks, ListFormat};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table, Tone};
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::ModelSession;

/// The controller gives no more at once.
const PAGE: u64 = 1_000;

pub async fn hooks(context: &Context, arguments: Hooks) -> Outcome {
    let mut query = whose(arguments.whose.as_deref())?;
    query.hook = arguments.hook;
    query.result = arguments.failed.then(|| "failed".to_owned());
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let mut runs: Vec<HookRun> = Vec::new();
    loop {
        let wanted = arguments.limit.saturating_sub(runs.len() as u64);
        query.limit = Some(wanted.min(PAGE));
        let page = here.client().hooks(&here.model, &query).await?;
        runs.extend(page.items);
        query.after = page.next;
        if query.after.is_none() || runs.len() as u64 >= arguments.limit {
            break;
        }
    }
    let times = Times::new(arguments.utc);
    let output = context.output.to(&arguments.target)?;
    let documents = || {
        runs.iter()
            .map(|run| HookDocument::of(run, &times))
            .collect::<Vec<_>>()
    };
    match arguments.format {
        ListFormat::Json => output.json(&documents()),
        ListFormat::Yaml => output.yaml(&documents()),
        ListFormat::Tabular if runs.is_empty() => {
            output.say(if arguments.failed {
                "No failed hooks."
            } else {
                "No hooks have run yet."
            });
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&runs, &times).render(output.paints())),
    }
}

/// A name with a slash is a unit, any other an application.
fn whose(name: Option<&str>) -> Outcome<HookQuery> {
    let mut query = HookQuery::default();
    match name {
        None => {}
        Some(name) if name.contains('/') => {
            query.unit = Some(name.parse::<UnitName>()?.to_string());
        }
        Some(name) => query.application = Some(name.parse::<ApplicationName>()?.to_string()),
    }
    Ok(query)
}

fn table(runs: &[HookRun], times: &Times) -> Table {
    let headers = [
        "Run", "Time", "Unit", "Hook", "Duration", "Result", "Cause", "Message",
    ];
    let mut table = Table::new(&headers).right("Run").right("Duration");
    for run in runs {
        let (tone, message) = match run.code.as_str() {
            "" => (Tone::Good, run.effects.join(", ")),
            code => (Tone::Bad, format!("{} ({code})", run.message)),
        };
        table.row(vec![
            run.id.to_string().into(),
            times.micros(run.started_at).into(),
            run.unit.as_str().into(),
            (&run.hook).into(),
            duration(run.duration).into(),
            Cell::toned(&run.result, tone),
            cause(&run.cause).into(),
            message.into(),
        ]);
    }
    table
}

/// `run 812`, `timer update-status`
fn cause(cause: &str) -> String {
    clean(cause).replacen(':', " ", 1)
}

/// Three digits say enough: `0.42 ms`, `1.85 s`.
pub(super) fn duration(micros: i64) -> String {
    let milliseconds = micros as f64 / 1_000.0;
    match milliseconds {
        short if short < 10.0 => format!("{short:.2} ms"),
        some if some < 1_000.0 => format!("{some:.0} ms"),
        long => format!("{:.2} s", long / 1_000.0),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct HookDocument {
    id: i64,
    started: String,
    duration_ms: f64,
    /// For the machine's lock and a place, before it started.
    waited_ms: f64,
    unit: String,
    application: String,
    hook: String,
    /// Which relation, secret or storage.
    #[serde(skip_serializing_if = "String::is_empty")]
    about: String,
    charm: String,
    /// `audit:807`, `run:812`, `timer:update-status`.
    #[serde(skip_serializing_if = "String::is_empty")]
    cause: String,
    result: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    code: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effects: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<HookUsage>,
}

impl HookDocument {
    fn of(run: &HookRun, times: &Times) -> Self {
        Self {
            id: run.id,
            started: times.micros(run.started_at),
            duration_ms: run.duration as f64 / 1_000.0,
            waited_ms: run.waited as f64 / 1_000.0,
            unit: run.unit.to_string(),
            application: run.application.to_string(),
            hook: clean(&run.hook),
            about: clean(&run.about),
            charm: clean(&run.charm),
            cause: clean(&run.cause),
            result: clean(&run.result),
            code: clean(&run.code),
            message: clean(&run.message),
            effects: run.effects.iter().map(|effect| clean(effect)).collect(),
            usage: run.usage,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_its_code_and_a_success_what_changed() {
        let run = |hook: &str, code: &str, duration| HookRun {
            id: 1,
            unit: "site/0".parse().unwrap(),
            application: "site".parse().unwrap(),
            hook: hook.to_owned(),
            about: String::new(),
            charm: "local:site-0".to_owned(),
            started_at: 1_795_257_480_000_000,
            duration,
            waited: 0,
            cause: if code.is_empty() { "audit:7" } else { "" }.to_owned(),
            result: if code.is_empty() { "ok" } else { "failed" }.to_owned(),
            code: code.to_owned(),
            message: "unreachable".to_owned(),
            effects: vec!["opened 80/tcp".to_owned(), "state counter".to_owned()],
            usage: None,
            limits: None,
        };
        let runs = [run("start", "trap", 12_400), run("install", "", 1_850)];
        let expected = "\
Run  Time                  Unit    Hook     Duration  Result  Cause    Message
  1  2026-11-21 10:38:00Z  site/0  start       12 ms  failed           unreachable (trap)
  1  2026-11-21 10:38:00Z  site/0  install   1.85 ms  ok      audit 7  opened 80/tcp, state counter
";
        assert_eq!(table(&runs, &Times::new(true)).render(false), expected);
        assert_eq!(duration(1_850_000), "1.85 s");
    }

    #[test]
    fn a_slash_tells_a_unit_from_an_application() {
        assert_eq!(
            whose(Some("site/0")).unwrap().unit.as_deref(),
            Some("site/0")
        );
        assert_eq!(
            whose(Some("site")).unwrap().application.as_deref(),
            Some("site")
        );
        assert!(whose(Some("site/x")).is_err() && whose(Some("Site")).is_err());
        assert!(whose(None).is_ok());
    }
}
