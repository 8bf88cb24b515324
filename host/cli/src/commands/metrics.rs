//! `metrics`: what charms measured of their units.

use periapt_wire::rest::MetricInfo;

use super::Context;
use super::workloads::whose;
use crate::arguments::{ListFormat, Workloads};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::output::text::clean;
use crate::output::time::Times;
use crate::session::ModelSession;

pub async fn metrics(context: &Context, arguments: Workloads) -> Outcome {
    let query = whose(arguments.whose.as_deref())?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let found = here.client().metrics(&here.model, &query).await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&found),
        ListFormat::Yaml => output.yaml(&found),
        ListFormat::Tabular if found.is_empty() => {
            output.say("No metrics: no charm has reported any.");
            Ok(())
        }
        ListFormat::Tabular => {
            let times = Times::new(arguments.utc);
            output.data(&table(&found, &times).render(output.paints()))
        }
    }
}

fn table(metrics: &[MetricInfo], times: &Times) -> Table {
    let mut table = Table::new(&["Unit", "Timestamp", "Metric", "Value", "Labels"]).right("Value");
    for one in metrics {
        let labels = one.labels.iter();
        let labels: Vec<String> = labels
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        table.row(vec![
            one.unit.as_str().into(),
            times.micros(one.timestamp.saturating_mul(1_000_000)).into(),
            (&one.metric).into(),
            one.value.to_string().into(),
            clean(&labels.join(",")).into(),
        ]);
    }
    table
}
