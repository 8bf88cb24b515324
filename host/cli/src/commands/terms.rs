//! `min-units`, `trust`, `set-meter-status` and `set-application-base`: what holds of an application beside its options.

use clap::{Args, Subcommand};
use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{SetMeterStatus, SetMinUnits, SetTrust};

use super::Context;
use crate::arguments::ModelChoice;
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show or set the minimum number of units of an application.
    MinUnits(MinUnits),
    /// Trust an application with the cloud's credential.
    Trust(Trust),
    /// Set the meter status of a unit or of all units of an application.
    SetMeterStatus(MeterStatus),
    /// Show the base of an application, which cannot be changed.
    SetApplicationBase(Base),
}

const MINIMUM: &str = "\
If there are fewer units, more are added automatically: a unit that you remove is replaced.
0 clears the minimum and removes no units.";

#[derive(Debug, Args)]
#[command(after_help = MINIMUM)]
pub struct MinUnits {
    /// The application.
    pub application: String,
    /// The minimum number of units; without it the current one is shown.
    #[arg(value_name = "N")]
    pub count: Option<u32>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Trust {
    /// The application.
    pub application: String,
    /// Remove the trust.
    #[arg(long)]
    pub remove: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

const COLOURS: &str = "\
Colours: GREEN, AMBER, RED. Units run the hook meter-status-changed, and the status shows the colour, unless a
quota of the model gives a worse one. GREEN clears it.";

#[derive(Debug, Args)]
#[command(after_help = COLOURS)]
pub struct MeterStatus {
    /// A unit, or an application for all its current units.
    #[arg(value_name = "UNIT|APPLICATION")]
    pub whose: String,
    /// GREEN, AMBER or RED.
    #[arg(value_name = "COLOUR")]
    pub colour: String,
    /// A message to go with it.
    #[arg(value_name = "INFO")]
    pub info: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Base {
    /// The application.
    pub application: String,
    /// The base; without it the current one is shown.
    #[arg(value_name = "BASE")]
    pub base: Option<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::MinUnits(arguments) => min_units(context, arguments).await,
        Verb::Trust(arguments) => trust(context, arguments).await,
        Verb::SetMeterStatus(arguments) => set_meter_status(context, arguments).await,
        Verb::SetApplicationBase(arguments) => base(context, arguments).await,
    }
}

async fn min_units(context: &Context, arguments: MinUnits) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let Some(min_units) = arguments.count else {
        let shown = here.client().application(&here.model, &name).await?;
        return context.output.data(&shown.min_units.to_string());
    };
    let request = SetMinUnits { min_units };
    here.client()
        .set_min_units(&here.model, &name, &request)
        .await?;
    Ok(())
}

async fn trust(context: &Context, arguments: Trust) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = SetTrust {
        trust: !arguments.remove,
    };
    here.client()
        .set_trust(&here.model, &name, &request)
        .await?;
    Ok(())
}

async fn set_meter_status(context: &Context, arguments: MeterStatus) -> Outcome {
    let request = SetMeterStatus {
        color: arguments.colour,
        message: arguments.info.join(" "),
    };
    let whose = arguments.whose.as_str();
    if whose.contains('/') {
        let unit: UnitName = whose.parse()?;
        let here = ModelSession::open(&context.files, &arguments.model).await?;
        let set = here
            .client()
            .set_unit_meter_status(&here.model, &unit, &request);
        set.await?;
        return Ok(());
    }
    let name: ApplicationName = whose.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let set = here
        .client()
        .set_application_meter_status(&here.model, &name, &request);
    set.await?;
    Ok(())
}

async fn base(context: &Context, arguments: Base) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    // One that is not there is refused by its name.
    here.client().application(&here.model, &name).await?;
    let status = here.client().status(&here.model, &[]).await?;
    let found = status.applications.get(name.as_str());
    let found = found.map(|found| format!("{}@{}", found.base.name, found.base.channel));
    let found = found.unwrap_or_default();
    match arguments.base {
        None => context.output.data(&found),
        Some(wanted) if wanted == found => Ok(()),
        Some(wanted) => Err(Failure::new(
            Exit::Conflict,
            format!("\"{name}\" cannot be moved to base {wanted}"),
        )
        .why(format!(
            "charms run in the same sandbox everywhere, {found}, without an operating system"
        ))
        .advice("keep it; to replace a charm built for another world, use periapt refresh")),
    }
}
