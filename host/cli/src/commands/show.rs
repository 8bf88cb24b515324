//! `show-unit`, `show-application`, `show-status-log`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::rest::{HistoryEntry, ListQuery, UnitRelation};
use serde::Serialize;

use super::Context;
use crate::arguments::{DetailFormat, ListFormat, ShowApplication, ShowStatusLog, ShowUnit, Shown};
use crate::failure::{Failure, Outcome};
use crate::output::document::Named;
use crate::output::entities::{ApplicationDocument, HistoryDocument, UnitDocument};
use crate::output::table::{Cell, Table};
use crate::output::time::Times;
use crate::session::ModelSession;

pub async fn unit(context: &Context, arguments: ShowUnit) -> Outcome {
    let names: Vec<UnitName> = arguments
        .units
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.shown.model).await?;
    let times = Times::new(arguments.shown.utc);
    let mut found = Vec::new();
    for name in &names {
        let mut unit = here.client().unit(&here.model, name).await?;
        narrow(&mut unit.relations, &arguments);
        let document = UnitDocument::of(&unit, &times);
        found.push((
            name.to_string(),
            match arguments.app {
                true => document.of_applications_alone(),
                false => document,
            },
        ));
    }
    write(
        context,
        &arguments.shown,
        &found.into_iter().collect::<Named<_>>(),
    )
}

/// Leaves the relations that were asked for.
fn narrow(relations: &mut Vec<UnitRelation>, wanted: &ShowUnit) {
    if let Some(endpoint) = &wanted.endpoint {
        relations.retain(|relation| relation.endpoint == *endpoint);
    }
    if let Some(related) = &wanted.related_unit {
        relations.retain(|relation| relation.related_units.contains_key(related));
        for relation in relations {
            relation.related_units.retain(|name, _| name == related);
        }
    }
}

pub async fn application(context: &Context, arguments: ShowApplication) -> Outcome {
    let names: Vec<ApplicationName> = arguments
        .applications
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.shown.model).await?;
    let times = Times::new(arguments.shown.utc);
    let mut found = Vec::new();
    for name in &names {
        let application = here.client().application(&here.model, name).await?;
        let status = here.client().status(&here.model, &[]).await?;
        let of_it = ListQuery {
            application: Some(name.to_string()),
            ..ListQuery::default()
        };
        let units = here.client().units(&here.model, &of_it).await?;
        let document = ApplicationDocument::of(&application, &units, &times);
        let of_status = status.applications.get(name.as_str());
        found.push((
            name.to_string(),
            match of_status {
                Some(shown) => document.on(&shown.base),
                None => document,
            },
        ));
    }
    write(
        context,
        &arguments.shown,
        &found.into_iter().collect::<Named<_>>(),
    )
}

/// Writes a document as it is asked for.
pub fn write(context: &Context, shown: &Shown, document: &impl Serialize) -> Outcome {
    let output = context.output.to(&shown.target)?;
    match shown.format {
        DetailFormat::Yaml => output.yaml(document),
        DetailFormat::Json => output.json(document),
    }
}

pub async fn status_log(context: &Context, arguments: ShowStatusLog) -> Outcome {
    let entity = entity(&arguments.entity)?;
    let kind = arguments.kind.as_deref().map(known_kind).transpose()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let since = since(&arguments, Timestamp::now())?;
    // One kind alone: how many entries of the others stand between is not known beforehand.
    let limit = if kind.is_some() || since.is_some() {
        None
    } else {
        Some(arguments.lines)
    };
    let (client, model) = (here.client(), here.model.as_str());
    let mut entries = match &entity {
        Entity::Unit(name) => client.unit_history(model, name, limit).await?,
        Entity::Machine(id) => client.machine_history(model, id, limit).await?,
        Entity::Application(name) => client.application_history(model, name, limit).await?,
    };
    entries.retain(|entry| kind.is_none_or(|kind| is_of_kind(&entry.kind, kind)));
    entries.retain(|entry| since.is_none_or(|since| entry.time >= since));
    entries.sort_by_key(|entry| entry.time);
    let wanted = match since {
        Some(_) => usize::MAX,
        None => usize::try_from(arguments.lines).unwrap_or(usize::MAX),
    };
    let skip = entries.len().saturating_sub(wanted);
    entries.drain(..skip);

    let times = Times::new(arguments.utc);
    let output = context.output.to(&arguments.target)?;
    let documents = || {
        entries
            .iter()
            .map(|entry| HistoryDocument::of(entry, &times))
            .collect::<Vec<_>>()
    };
    match arguments.format {
        ListFormat::Json => output.json(&documents()),
        ListFormat::Yaml => output.yaml(&documents()),
        ListFormat::Tabular if entries.is_empty() => {
            output.say("No status has been recorded yet.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table(&entries, &times).render(output.paints())),
    }
}

/// The time from which on entries are shown, in microseconds, if they are not to be counted.
fn since(arguments: &ShowStatusLog, now: Timestamp) -> Outcome<Option<i64>> {
    if let Some(days) = arguments.days {
        let ago = i64::from(days) * 24 * 60 * 60 * 1_000_000;
        return Ok(Some(now.as_microsecond() - ago));
    }
    let Some(text) = &arguments.from_date else {
        return Ok(None);
    };
    let day = || {
        let day: jiff::civil::Date = text.parse().ok()?;
        Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
    };
    let time: Option<Timestamp> = text.parse().ok().or_else(day);
    let time = time.ok_or_else(|| {
        Failure::usage(format!("\"{text}\" is no date"))
            .why("a date has a year, a month and a day, or is a time with its zone")
            .advice("write 2026-11-21, or 2026-11-21T10:38:00Z")
    })?;
    Ok(Some(time.as_microsecond()))
}

fn table(entries: &[HistoryEntry], times: &Times) -> Table {
    let mut table = Table::new(&["Time", "Type", "Status", "Message"]);
    for entry in entries {
        table.row(vec![
            times.micros(entry.time).into(),
            (&entry.kind).into(),
            Cell::status(&entry.status),
            (&entry.message).into(),
        ]);
    }
    table
}

#[derive(Debug, PartialEq)]
enum Entity {
    Unit(UnitName),
    Machine(MachineId),
    Application(ApplicationName),
}

/// A number is a machine, a name with a slash a unit, any other name an application.
fn entity(name: &str) -> Outcome<Entity> {
    if let Ok(id) = name.parse() {
        return Ok(Entity::Machine(id));
    }
    match name.contains('/') {
        true => Ok(Entity::Unit(name.parse()?)),
        false => Ok(Entity::Application(name.parse()?)),
    }
}

const KINDS: [&str; 6] = [
    "unit",
    "workload",
    "juju-unit",
    "application",
    "machine",
    "juju-machine",
];

fn known_kind(word: &str) -> Outcome<&str> {
    if KINDS.contains(&word) {
        return Ok(word);
    }
    Err(Failure::usage(format!("there is no type \"{word}\""))
        .why("entries have one of a few types")
        .advice(format!("use one of: {}", KINDS.join(", "))))
}

/// `unit` stands for the agent's and the workload's entries together, as in Juju.
fn is_of_kind(kind: &str, wanted: &str) -> bool {
    kind == wanted || (wanted == "unit" && matches!(kind, "workload" | "juju-unit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_told_by_the_look_of_its_name() {
        assert_eq!(entity("0").unwrap(), Entity::Machine("0".parse().unwrap()));
        assert_eq!(
            entity("0/lxd/1").unwrap(),
            Entity::Machine("0/lxd/1".parse().unwrap())
        );
        assert_eq!(
            entity("site/0").unwrap(),
            Entity::Unit("site/0".parse().unwrap())
        );
        assert_eq!(
            entity("site").unwrap(),
            Entity::Application("site".parse().unwrap())
        );
        for bad in ["", "Site", "site/x", "0/1"] {
            assert!(entity(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_past_is_asked_for_by_days_or_by_a_date() {
        use clap::Parser;
        let asked = |line: &str| {
            let words = ["periapt", "show-status-log", "site/0"];
            let words = words.into_iter().chain(line.split_whitespace());
            let parsed = crate::arguments::Arguments::try_parse_from(words).unwrap();
            let crate::arguments::Command::ShowStatusLog(arguments) = parsed.command else {
                panic!()
            };
            since(&arguments, Timestamp::from_second(200_000).unwrap())
        };
        assert_eq!(asked("").unwrap(), None);
        assert_eq!(asked("--days 1").unwrap(), Some(113_600_000_000));
        assert_eq!(
            asked("--from-date 1970-01-02").unwrap(),
            Some(86_400_000_000)
        );
        assert_eq!(
            asked("--from-date 1970-01-01T00:00:01Z").unwrap(),
            Some(1_000_000)
        );
        assert!(asked("--from-date yesterday").is_err());
    }

    #[test]
    fn relations_of_a_unit_are_narrowed() {
        let relation = |endpoint: &str, units: &[&str]| {
            let bag = serde_json::json!({ "in-scope": true, "data": {} });
            let units: serde_json::Map<_, _> = units
                .iter()
                .map(|unit| ((*unit).to_owned(), bag.clone()))
                .collect();
            serde_json::json!({
                "relation-id": 1, "endpoint": endpoint, "related-endpoint": "website",
                "related-application": "front", "application-data": {},
                "local-application-data": {}, "local-unit": bag, "related-units": units,
            })
        };
        let relations: Vec<UnitRelation> = serde_json::from_value(serde_json::json!([
            relation("website", &["front/0", "front/1"]),
            relation("logs", &["log/0"])
        ]))
        .unwrap();
        let narrowed = |line: &str| {
            use clap::Parser;
            let words = ["periapt", "show-unit", "site/0"];
            let words = words.into_iter().chain(line.split_whitespace());
            let parsed = crate::arguments::Arguments::try_parse_from(words).unwrap();
            let crate::arguments::Command::ShowUnit(arguments) = parsed.command else {
                panic!()
            };
            let mut relations = relations.clone();
            narrow(&mut relations, &arguments);
            let units = relations.iter().flat_map(|one| one.related_units.keys());
            units.map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(narrowed(""), ["front/0", "front/1", "log/0"]);
        assert_eq!(narrowed("--endpoint logs"), ["log/0"]);
        assert_eq!(narrowed("--related-unit front/1"), ["front/1"]);
        assert!(narrowed("--endpoint logs --related-unit front/1").is_empty());
    }

    #[test]
    fn the_log_is_a_table() {
        let entry = |kind: &str, status: &str, message: &str| HistoryEntry {
            id: 1,
            time: 1_795_257_480_000_000,
            kind: kind.to_owned(),
            status: status.to_owned(),
            message: message.to_owned(),
        };
        let entries = [
            entry("juju-unit", "executing", "running start hook"),
            entry("workload", "active", ""),
        ];
        let expected = "\
Time                  Type       Status     Message
2026-11-21 10:38:00Z  juju-unit  executing  running start hook
2026-11-21 10:38:00Z  workload   active
";
        assert_eq!(table(&entries, &Times::new(true)).render(false), expected);
        assert!(is_of_kind("workload", "unit") && !is_of_kind("machine", "unit"));
    }
}
