//! `stop-unit`, `start-unit`, `start-agent`.

use periapt_model::UnitName;

use super::Context;
use crate::arguments::{StartAgent, UnitAgents};
use crate::failure::Outcome;
use crate::session::ModelSession;

pub async fn stop_units(context: &Context, arguments: UnitAgents) -> Outcome {
    let (here, units) = named(context, &arguments).await?;
    for unit in &units {
        here.client().stop_unit(&here.model, unit).await?;
        let again = format!("Stopping {unit}; start it again with: periapt start-unit {unit}");
        context.output.say(&again);
    }
    Ok(())
}

pub async fn start_units(context: &Context, arguments: UnitAgents) -> Outcome {
    let (here, units) = named(context, &arguments).await?;
    for unit in &units {
        here.client().start_unit(&here.model, unit).await?;
    }
    Ok(())
}

pub async fn start(context: &Context, arguments: StartAgent) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    here.client().start_agent(&here.model).await?;
    Ok(())
}

async fn named(
    context: &Context,
    arguments: &UnitAgents,
) -> Outcome<(ModelSession, Vec<UnitName>)> {
    let units = arguments
        .units
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    Ok((here, units))
}
