//! `scale-application`, and which units go when only their number is said.

use clap::{Args, Subcommand};
use periapt_client::rest::Removing;
use periapt_model::{ApplicationName, UnitName};

use super::Context;
use super::storage::going;
use crate::arguments::ModelChoice;
use crate::failure::{Exit, Failure, Outcome};
use crate::output::text::count;
use crate::session::ModelSession;

/// The verb of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Set the number of units of an application: add missing units, or remove the newest.
    ScaleApplication(ScaleApplication),
}

#[derive(Debug, Args)]
pub struct ScaleApplication {
    /// The application.
    pub application: String,
    /// The number of units.
    #[arg(value_name = "SCALE")]
    pub scale: u32,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    let Verb::ScaleApplication(arguments) = verb;
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let before = here.client().application(&here.model, &name).await?;
    let now = u32::try_from(before.units.len()).unwrap_or(u32::MAX);
    if arguments.scale > now {
        let more = arguments.scale - now;
        here.client()
            .add_units(&here.model, &name, more, &[])
            .await?;
    }
    for unit in newest(before.units, now.saturating_sub(arguments.scale)) {
        context.output.say(&format!("will remove unit {unit}"));
        going::tell(context, &here, unit.as_str(), false).await?;
        here.client()
            .remove_unit(&here.model, &unit, Removing::default())
            .await?;
    }
    let scale = u64::from(arguments.scale);
    context
        .output
        .say(&format!("{name} scaled to {}", count(scale, "unit")));
    Ok(())
}

/// The units of an application that go when it is to have `wanted` fewer.
pub async fn to_remove(
    here: &ModelSession,
    application: &ApplicationName,
    wanted: u32,
) -> Outcome<Vec<UnitName>> {
    let found = here.client().application(&here.model, application).await?;
    let there = u32::try_from(found.units.len()).unwrap_or(u32::MAX);
    if wanted > there {
        let units = count(u64::from(there), "unit");
        return Err(Failure::new(
            Exit::Conflict,
            format!("{application} has fewer than {wanted} units"),
        )
        .why(format!("it has {units}"))
        .advice(format!(
            "give --num-units {there} or less, or periapt remove-application {application}"
        )));
    }
    Ok(newest(found.units, wanted))
}

/// The `count` units with the highest numbers, the newest first.
fn newest(mut units: Vec<UnitName>, count: u32) -> Vec<UnitName> {
    units.sort_by_key(|unit| std::cmp::Reverse(unit.number()));
    units.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_units_go_first() {
        let units: Vec<UnitName> = ["site/0", "site/10", "site/9"]
            .into_iter()
            .map(|name| name.parse().unwrap())
            .collect();
        let gone = newest(units.clone(), 2);
        let names: Vec<&str> = gone.iter().map(UnitName::as_str).collect();
        assert_eq!(names, ["site/10", "site/9"]);
        assert!(newest(units, 0).is_empty());
    }
}
