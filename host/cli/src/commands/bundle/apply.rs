//! Takes the steps of a plan, one after the other. What was taken stays when one fails: applied
//! again the bundle goes on from there.

use std::collections::BTreeMap;

use periapt_model::bundle::Step;
use periapt_model::{MachineId, Tag};
use periapt_wire::rest::{
    AddMachines, ConfigChange, Deploy, Expose, Refresh, SetAnnotations, SetConstraints, SetTrust,
};

use super::charms::Charms;
use super::files::ResourceFiles;
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

pub async fn apply(
    context: &Context,
    here: &ModelSession,
    steps: Vec<Step>,
    charms: &mut Charms,
    files: &mut ResourceFiles,
) -> Outcome {
    let total = steps.len();
    let mut machines = Machines::default();
    for (index, step) in steps.into_iter().enumerate() {
        let words = told(&step);
        take(context, here, step, charms, files, &mut machines)
            .await
            .inspect_err(|_| {
                context.output.say(&format!(
                    "{index} of {total} steps were taken; failed to {words}"
                ));
            })?;
        context
            .output
            .say(&format!("[{}/{total}] {words}", index + 1));
    }
    Ok(())
}

/// The step in words, with where its units go.
pub fn told(step: &Step) -> String {
    match step {
        Step::Deploy { to, .. } | Step::AddUnits { to, .. } if !to.is_empty() => {
            format!("{step} to {}", to.join(", "))
        }
        Step::Deploy {
            application,
            units: 0,
            ..
        } => format!("deploy {application}, whose units come with relations"),
        step => step.to_string(),
    }
}

async fn take(
    context: &Context,
    here: &ModelSession,
    step: Step,
    charms: &mut Charms,
    files: &mut ResourceFiles,
    machines: &mut Machines,
) -> Outcome {
    let (client, model) = (here.client(), &here.model);
    match step {
        Step::Deploy {
            application,
            units,
            options,
            storage,
            to,
            constraints,
            trust,
        } => {
            let charm = charms.url(context, here, &application).await?;
            let resources = match files.remove(&application) {
                Some(files) => files.upload(context, here).await?,
                None => BTreeMap::new(),
            };
            let deploy = Deploy {
                channel: None,
                resources,
                trust,
                constraints,
                charm,
                placement: machines.of(here, &to).await?,
                config: options,
                application,
                units,
                storage,
                attach_storage: Vec::new(),
            };
            client.deploy(model, &deploy).await?;
        }
        Step::Refresh { application } => {
            let refresh = Refresh {
                storage: Default::default(),
                // A file follows no channel.
                channel: Some(String::new()),
                resources: Default::default(),
                charm: charms.url(context, here, &application).await?,
                config: Default::default(),
                force_units: false,
            };
            client.refresh(model, &application, &refresh).await?;
        }
        Step::Attach {
            application,
            resource,
        } => {
            if let Some(files) = files.get_mut(&application) {
                files.attach(context, here, &application, &resource).await?;
            }
        }
        Step::Annotate { application, set } => {
            let request = SetAnnotations {
                entity: Some(Tag::Application(application).to_string()),
                set,
            };
            client.set_annotations(model, &request).await?;
        }
        Step::Configure { application, set } => {
            let change = ConfigChange {
                set,
                reset: Vec::new(),
            };
            client
                .set_application_config(model, &application, &change)
                .await?;
        }
        Step::AddUnits {
            application,
            count,
            to,
        } => {
            let placement = machines.of(here, &to).await?;
            client
                .add_units(model, &application, count, &placement)
                .await?;
        }
        Step::Expose {
            application,
            endpoints,
        } => {
            let request = Expose {
                exposed_endpoints: endpoints,
            };
            client.expose(model, &application, &request).await?;
        }
        Step::Constrain {
            application,
            constraints,
        } => {
            let request = SetConstraints { constraints };
            client
                .set_constraints(model, &application, &request)
                .await?;
        }
        Step::Trust { application } => {
            let request = SetTrust { trust: true };
            client.set_trust(model, &application, &request).await?;
        }
        Step::Integrate { pair } => {
            let (requirer, provider) = (pair.requirer.to_string(), pair.provider.to_string());
            client.integrate(model, [&requirer, &provider]).await?;
        }
    }
    Ok(())
}

/// Machines of the model for those of the bundle, made when the first unit goes there.
#[derive(Default)]
struct Machines(BTreeMap<String, MachineId>);

impl Machines {
    async fn of(&mut self, here: &ModelSession, places: &[String]) -> Outcome<Vec<MachineId>> {
        let mut placement = Vec::new();
        for place in places {
            if place != "new"
                && let Some(machine) = self.0.get(place)
            {
                placement.push(machine.clone());
                continue;
            }
            let one = AddMachines {
                count: 1,
                constraints: String::new(),
            };
            let made = here.client().add_machines(&here.model, &one).await?;
            let machine = made.into_iter().next().ok_or_else(|| {
                Failure::failed("no machine was made").advice("periapt status, then deploy again")
            })?;
            if place != "new" {
                self.0.insert(place.clone(), machine.id.clone());
            }
            placement.push(machine.id);
        }
        Ok(placement)
    }
}
