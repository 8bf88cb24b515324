//! `services` and `checks`: what runs in the containers of units.

use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{CheckInfo, ListQuery, ServiceInfo};

use super::Context;
use crate::arguments::{ListFormat, Workloads};
use crate::failure::Outcome;
use crate::output::table::{Cell, Table, Tone};
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::ModelSession;

pub async fn services(context: &Context, arguments: Workloads) -> Outcome {
    let query = whose(arguments.whose.as_deref())?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().services(&here.model, &query).await?;
    let times = Times::new(arguments.utc);
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular if found.is_empty() => {
            output.say("No services: no charm has defined any.");
            Ok(())
        }
        ListFormat::Tabular => {
            output.data(&table_of_services(&found, &times).render(output.paints()))
        }
    }
}

pub async fn checks(context: &Context, arguments: Workloads) -> Outcome {
    let query = whose(arguments.whose.as_deref())?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().checks(&here.model, &query).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular if found.is_empty() => {
            output.say("No checks: no charm has defined any.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&table_of_checks(&found).render(output.paints())),
    }
}

/// A name with a slash is a unit, any other an application.
pub(super) fn whose(name: Option<&str>) -> Outcome<ListQuery> {
    let mut query = ListQuery::default();
    match name {
        None => {}
        Some(name) if name.contains('/') => {
            query.name = Some(format!("{}:*", name.parse::<UnitName>()?));
        }
        Some(name) => query.application = Some(name.parse::<ApplicationName>()?.to_string()),
    }
    Ok(query)
}

fn table_of_services(services: &[ServiceInfo], times: &Times) -> Table {
    let mut table = Table::new(&[
        "Unit",
        "Container",
        "Service",
        "Startup",
        "Current",
        "Since",
        "Restarts",
        "Port",
        "Last end",
    ])
    .right("Restarts");
    for one in services {
        let tone = match one.current.as_str() {
            "active" | "finished" => Tone::Good,
            "failed" | "backoff" => Tone::Bad,
            _ => Tone::Plain,
        };
        let since = match one.since {
            0 => String::new(),
            since => times.micros(since.saturating_mul(1_000_000)),
        };
        table.row(vec![
            one.unit.as_str().into(),
            (&one.container).into(),
            (&one.service).into(),
            (&one.startup).into(),
            Cell::toned(&one.current, tone),
            since.into(),
            one.restarts.to_string().into(),
            one.port
                .map(|port| format!("{port}/tcp"))
                .unwrap_or_default()
                .into(),
            clean(one.last_end.as_deref().unwrap_or_default()).into(),
        ]);
    }
    table
}

fn table_of_checks(checks: &[CheckInfo]) -> Table {
    let mut table = Table::new(&[
        "Unit",
        "Container",
        "Check",
        "Level",
        "Status",
        "Failures",
        "On failure",
        "Message",
    ])
    .right("Failures");
    for one in checks {
        let tone = match one.status.as_str() {
            "up" => Tone::Good,
            "down" => Tone::Bad,
            _ => Tone::Plain,
        };
        let on_failure = match one.on_failure.as_slice() {
            [] => "nothing happens".to_owned(),
            those => those.join(", "),
        };
        table.row(vec![
            one.unit.as_str().into(),
            (&one.container).into(),
            (&one.check).into(),
            (&one.level).into(),
            Cell::toned(&one.status, tone),
            format!("{}/{}", one.failures, one.threshold).into(),
            on_failure.into(),
            clean(one.message.as_deref().unwrap_or_default()).into(),
        ]);
    }
    table
}
