//! `incidents`: what is wrong in a model, by application, hook and reason; retry, skip and silence.

use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::Timestamp;
use periapt_wire::rest::{IncidentInfo, IncidentQuery, SilenceIncident, TimelineEntry};

use super::Context;
use super::timeline::sentence;
use crate::arguments::{ListFormat, ModelChoice, Target, duration};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table};
use crate::output::text::{clean_line, count};
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show a model's incidents: one line for each application, hook and reason.
    #[command(visible_alias = "list-incidents")]
    Incidents(Incidents),
}

const ANSWERS: &str = "\
Without a flag, shows incidents that are not silenced. Use an incident's id, as in
front-start-1b2c3d4e, to retry, skip or silence it:
  periapt incidents --retry ID
  periapt incidents --skip ID
  periapt incidents --silence ID --for 2h";

#[derive(Debug, Args)]
#[command(after_help = ANSWERS)]
pub struct Incidents {
    /// Only show incidents of this application.
    #[arg(value_name = "APPLICATION")]
    pub application: Option<String>,
    /// Retry the failed hook of every unit of an incident.
    #[arg(long, value_name = "ID", group = "answer")]
    pub retry: Option<String>,
    /// Skip the failed hook of every unit of an incident: each continues as if it had succeeded.
    #[arg(long, value_name = "ID", group = "answer")]
    pub skip: Option<String>,
    /// Silence an incident until it changes, or for a time.
    #[arg(long, value_name = "ID", group = "answer")]
    pub silence: Option<String>,
    /// End the silence of an incident.
    #[arg(long, value_name = "ID", group = "answer")]
    pub end_silence: Option<String>,
    /// How long to silence it.
    #[arg(long = "for", value_name = "DURATION", value_parser = duration, requires = "silence")]
    pub lasts: Option<Duration>,
    /// Also show silenced incidents.
    #[arg(long)]
    pub all: bool,
    /// Do not ask for confirmation before skipping hooks.
    #[arg(long)]
    pub no_prompt: bool,
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
    let Verb::Incidents(arguments) = verb;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    if let Some(id) = &arguments.retry {
        let told = here.client().retry_incident(&here.model, id).await?;
        return answered(context, "retrying", told.units.len());
    }
    if let Some(id) = &arguments.skip {
        context.output.confirm(
            &format!(
                "This skips the failed hook of every unit of {id}. What the hook does is not done."
            ),
            arguments.no_prompt,
        )?;
        let told = here.client().skip_incident(&here.model, id).await?;
        return answered(context, "skipping", told.units.len());
    }
    if let Some(id) = &arguments.silence {
        let seconds = arguments.lasts.map(|lasts| lasts.as_secs());
        let silence = SilenceIncident { seconds };
        let set = here.client().silence_incident(&here.model, id, &silence);
        let set = set.await?;
        let times = Times::new(arguments.utc);
        context.output.say(&match set.until {
            Some(until) => format!("{id} is silenced until {}", times.wire(&until)),
            None => format!("{id} is silenced until it changes"),
        });
        return Ok(());
    }
    if let Some(id) = &arguments.end_silence {
        here.client().end_silence(&here.model, id).await?;
        return Ok(());
    }
    list(context, &here, arguments).await
}

fn answered(context: &Context, what: &str, units: usize) -> Outcome {
    let units = count(units as u64, "unit");
    context
        .output
        .say(&format!("{what} the failed hook of {units}"));
    Ok(())
}

async fn list(context: &Context, here: &ModelSession, arguments: Incidents) -> Outcome {
    let query = IncidentQuery {
        application: arguments.application,
        silenced: (!arguments.all).then_some(false),
        ..IncidentQuery::default()
    };
    let incidents = here.client().incidents(&here.model, &query).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&incidents),
        ListFormat::Yaml => output.yaml(&incidents),
        ListFormat::Tabular if incidents.is_empty() => {
            output.say("No incidents.");
            Ok(())
        }
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            let shown = table(&incidents, Timestamp::now()).render(output.paints());
            let told: String = incidents
                .iter()
                .map(|incident| details(incident, &times))
                .collect();
            output.data(&format!("{shown}{told}"))
        }
    }
}

fn table(incidents: &[IncidentInfo], now: Timestamp) -> Table {
    let headers = ["Incident", "Status", "Units", "Age", "Next retry", "Reason"];
    let mut table = Table::new(&headers).right("Units");
    for incident in incidents {
        table.row(vec![
            (&incident.id).into(),
            Cell::status(&incident.status),
            incident.units.len().to_string().into(),
            apart(&incident.since, now).into(),
            match &incident.next_retry {
                Some(next) => format!("in {}", apart(next, now)),
                None => String::new(),
            }
            .into(),
            match &incident.silenced {
                Some(_) => format!("{} (silenced)", incident.reason),
                None => incident.reason.clone(),
            }
            .into(),
        ]);
    }
    table
}

/// Details below the table: the last log line and earlier changes.
fn details(incident: &IncidentInfo, times: &Times) -> String {
    let mut told = String::new();
    let mut line = |text: String| {
        told.push_str("  ");
        told.push_str(&clean_line(&text));
        told.push('\n');
    };
    if let Some(last) = &incident.last_line {
        line(format!(
            "last line: {} {} {}: {}",
            times.wire(&last.time),
            last.unit,
            last.level,
            last.message
        ));
    }
    let before = |entry: &TimelineEntry| {
        format!(
            "changed before: {} {}",
            times.wire(&entry.time),
            sentence(entry)
        )
    };
    for entry in &incident.changed_before {
        line(before(entry));
    }
    match told.is_empty() {
        true => told,
        false => format!("\n{}\n{told}", clean_line(&incident.id)),
    }
}

/// How far a time of the wire is from now: `42s`, `3m`, `5h`, `2d`.
fn apart(time: &str, now: Timestamp) -> String {
    let Ok(time) = time.parse::<Timestamp>() else {
        return String::new();
    };
    let seconds = (now.as_second() - time.as_second()).abs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use periapt_wire::rest::{IncidentLine, TimelineKind};

    use super::*;

    fn incident() -> IncidentInfo {
        IncidentInfo {
            id: "front-start-1b2c3d4e".to_owned(),
            application: Some("front".parse().unwrap()),
            machine: None,
            status: "error".to_owned(),
            hook: Some("start".to_owned()),
            reason: "no database".to_owned(),
            units: vec!["front/0".parse().unwrap(), "front/1".parse().unwrap()],
            since: "2026-11-21T10:38:00Z".to_owned(),
            attempts: 3,
            next_retry: Some("2026-11-21T10:43:20Z".to_owned()),
            waiting_for: None,
            retriable: true,
            run: Some(7),
            last_line: Some(IncidentLine {
                time: "2026-11-21T10:42:00Z".to_owned(),
                unit: "front/1".parse().unwrap(),
                level: "ERROR".to_owned(),
                message: "connection refused".to_owned(),
            }),
            changed_before: vec![TimelineEntry {
                id: "6".to_owned(),
                time: "2026-11-21T10:37:00Z".to_owned(),
                kind: TimelineKind::Config,
                who: String::new(),
                verb: "changed".to_owned(),
                object: "url of front".to_owned(),
                result: "ok".to_owned(),
                message: String::new(),
                was: Some("a".to_owned()),
                becomes: Some("b".to_owned()),
                about: vec!["front".to_owned()],
                run: None,
            }],
            silenced: None,
        }
    }

    #[test]
    fn an_incident_is_a_line_with_its_story_below() {
        let now = "2026-11-21T10:43:00Z".parse().unwrap();
        let expected = "\
Incident              Status  Units  Age  Next retry  Reason
front-start-1b2c3d4e  error       2  5m   in 20s      no database
";
        assert_eq!(table(&[incident()], now).render(false), expected);
        let expected = "
front-start-1b2c3d4e
  last line: 2026-11-21 10:42:00Z front/1 ERROR: connection refused
  changed before: 2026-11-21 10:37:00Z changed url of front from \"a\" to \"b\"
";
        assert_eq!(details(&incident(), &Times::new(true)), expected);
    }

    #[test]
    fn one_thing_is_done_at_a_time() {
        use clap::Parser;

        use crate::arguments::Arguments;
        let parsed = |line: &str| {
            let words = std::iter::once("periapt").chain(line.split(' '));
            Arguments::try_parse_from(words).is_ok()
        };
        assert!(parsed("incidents --silence front-start-1b2c3d4e --for 2h"));
        assert!(!parsed("incidents --retry a --skip b"));
        assert!(!parsed("incidents --for 2h"));
    }
}
