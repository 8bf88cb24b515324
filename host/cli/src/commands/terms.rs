//! `min-units` and `trust`: what holds of an application beside its options.

use clap::{Args, Subcommand};
use periapt_model::ApplicationName;
use periapt_wire::rest::{SetMinUnits, SetTrust};

use super::Context;
use crate::arguments::ModelChoice;
use crate::failure::Outcome;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show or say how many units an application has at the least.
    MinUnits(MinUnits),
    /// Trust an application with the cloud's credential.
    Trust(Trust),
}

const MINIMUM: &str = "\
While fewer units are alive, others are added by themselves: a unit that you remove goes, and
another comes. 0 takes the minimum back and removes no unit.";

#[derive(Debug, Args)]
#[command(after_help = MINIMUM)]
pub struct MinUnits {
    /// The application.
    pub application: String,
    /// The least number of units; without it the one that holds is shown.
    #[arg(value_name = "N")]
    pub count: Option<u32>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Trust {
    /// The application.
    pub application: String,
    /// Take the trust back.
    #[arg(long)]
    pub remove: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::MinUnits(arguments) => min_units(context, arguments).await,
        Verb::Trust(arguments) => trust(context, arguments).await,
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
