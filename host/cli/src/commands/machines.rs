//! `add-machine`, `remove-machine`, `retry-provisioning`, `machines`.

use periapt_model::MachineId;
use periapt_wire::rest::ListQuery;

use super::Context;
use crate::arguments::{AddMachine, ListFormat, Machines, RemoveMachine, RetryProvisioning};
use crate::failure::Outcome;
use crate::output::status::{machines_document, machines_table};
use crate::output::time::Times;
use crate::session::ModelSession;

/// What a machine shows that its provider gave up.
const PROVISIONING_ERROR: &str = periapt_model::status::Machine::ProvisioningError.as_str();

pub async fn add(context: &Context, arguments: AddMachine) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let added = here
        .client()
        .add_machines(&here.model, arguments.num_machines)
        .await?;
    let ids: Vec<String> = added.iter().map(|machine| machine.id.to_string()).collect();
    context.output.data(&ids.join("\n"))
}

pub async fn remove(context: &Context, arguments: RemoveMachine) -> Outcome {
    let ids: Vec<MachineId> = arguments
        .machines
        .iter()
        .map(|id| id.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    for id in &ids {
        let machine = here.client().machine(&here.model, id).await?;
        context.output.say(&format!("will remove machine {id}"));
        // Without force the controller refuses while there are any.
        for unit in machine.units.iter().filter(|_| arguments.force) {
            context.output.say(&format!("- will remove unit {unit}"));
        }
    }
    context.output.confirm(
        &format!(
            "This removes from model \"{}\" what stands above.",
            here.model
        ),
        arguments.no_prompt,
    )?;
    for id in &ids {
        here.client()
            .remove_machine(
                &here.model,
                id,
                arguments.force,
                arguments.no_wait.then_some(0),
            )
            .await?;
    }
    Ok(())
}

pub async fn retry(context: &Context, arguments: RetryProvisioning) -> Outcome {
    let mut ids: Vec<MachineId> = arguments
        .machines
        .iter()
        .map(|id| id.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    if arguments.all {
        let machines = here
            .client()
            .machines(&here.model, &ListQuery::default())
            .await?;
        ids = machines
            .into_iter()
            .filter(|machine| machine.instance_status == PROVISIONING_ERROR)
            .map(|machine| machine.id)
            .collect();
        if ids.is_empty() {
            context
                .output
                .say("There are no machines with a provisioning error.");
        }
    }
    for id in &ids {
        here.client().retry_provisioning(&here.model, id).await?;
        context.output.say(&format!("machine {id} is tried again"));
    }
    Ok(())
}

pub async fn list(context: &Context, arguments: Machines) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let status = here.client().status(&here.model, &[]).await?;
    let output = context.output.to(&arguments.target)?;
    let times = Times::new(arguments.utc);
    match arguments.format {
        ListFormat::Json => output.json(&machines_document(&status, &times)),
        ListFormat::Yaml => output.yaml(&machines_document(&status, &times)),
        ListFormat::Tabular if status.machines.is_empty() => {
            output.say("There are no machines.");
            Ok(())
        }
        ListFormat::Tabular => output.data(&machines_table(&status).render(output.paints())),
    }
}
