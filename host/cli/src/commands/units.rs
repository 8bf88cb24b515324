//! `add-unit`, `remove-unit`, `resolved`.

use periapt_client::rest::Removing;
use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest;

use super::storage::{going, wanted};
use super::{Context, scale};
use crate::arguments::{AddUnit, Removal, RemoveUnit, Resolved};
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

pub async fn add(context: &Context, arguments: AddUnit) -> Outcome {
    let application: ApplicationName = arguments.application.parse()?;
    if arguments.num_units == 0 {
        return Err(Failure::usage("there is no unit to add")
            .why("-n is 0")
            .advice("give -n 1 or more"));
    }
    wanted::require_one_unit(&arguments.attach_storage, arguments.num_units)?;
    for remark in arguments.placement.remarks() {
        context.output.say(&remark);
    }
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = rest::AddUnits {
        count: arguments.num_units,
        placement: arguments.placement.machines(),
        attach_storage: arguments.attach_storage,
    };
    let units = here
        .client()
        .add_units_with(&here.model, &application, &request)
        .await?;
    let names: Vec<String> = units.iter().map(UnitName::to_string).collect();
    context.output.data(&names.join("\n"))
}

pub async fn remove(context: &Context, arguments: RemoveUnit) -> Outcome {
    // Names are read before anybody is asked.
    let mut units: Vec<UnitName> = Vec::new();
    let mut applications: Vec<ApplicationName> = Vec::new();
    for name in &arguments.units {
        match arguments.num_units {
            None => units.push(name.parse()?),
            Some(_) => applications.push(name.parse()?),
        }
    }
    let removal = &arguments.removal;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for application in &applications {
        let count = arguments.num_units.unwrap_or_default();
        units.extend(scale::to_remove(&here, application, count).await?);
    }
    for unit in &units {
        let shown = here.client().unit(&here.model, unit).await?;
        context.output.say(&format!("will remove unit {unit}"));
        going::tell(context, &here, unit.as_str(), removal.destroy_storage).await?;
        for subordinate in &shown.subordinates {
            context
                .output
                .say(&format!("- will remove unit {subordinate}"));
            going::tell(
                context,
                &here,
                subordinate.as_str(),
                removal.destroy_storage,
            )
            .await?;
        }
    }
    if removal.dry_run {
        return Ok(());
    }
    context.output.confirm(
        &format!("This removes the above from model \"{}\".", here.model),
        removal.no_prompt,
    )?;
    for unit in &units {
        here.client()
            .remove_unit(&here.model, unit, removal.removing())
            .await?;
    }
    Ok(())
}

pub async fn resolved(context: &Context, arguments: Resolved) -> Outcome {
    let named: Vec<UnitName> = arguments
        .units
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let units = if arguments.all {
        in_error(&here).await?
    } else {
        named
    };
    if units.is_empty() {
        context.output.say("no unit is in error");
    }
    for unit in &units {
        here.client()
            .resolved(&here.model, unit, !arguments.no_retry)
            .await?;
    }
    Ok(())
}

async fn in_error(here: &ModelSession) -> Outcome<Vec<UnitName>> {
    let status = here.client().status(&here.model, &[]).await?;
    let units = status
        .applications
        .values()
        .flat_map(|application| application.units.iter().flatten());
    let names = units
        .flat_map(|(name, unit)| {
            std::iter::once((name, unit)).chain(unit.subordinates.iter().flatten())
        })
        .filter(|(_, unit)| {
            unit.workload_status.status == "error" || unit.agent_status.status == "error"
        })
        .map(|(name, _)| name.parse().map_err(Failure::from));
    names.collect()
}

impl Removal {
    /// `--no-wait` leaves no time for anything.
    pub fn removing(&self) -> Removing {
        Removing {
            force: self.force,
            timeout_ms: self.no_wait.then_some(0),
            destroy_storage: self.destroy_storage.then_some(true),
        }
    }
}
