//! `add-machine`, `remove-machine`, `retry-provisioning`, `machines`, `show-machine`.

use clap::{Args, Subcommand};
use periapt_client::rest::Removing;
use periapt_model::MachineId;
use periapt_model::status::Machine;
use periapt_wire::rest::{AddMachines, ListQuery};

use super::show::write;
use super::storage::going;
use super::{Context, constraints};
use crate::arguments::{ListFormat, ModelChoice, Shown, Target};
use crate::failure::Outcome;
use crate::output::status::{machines_document, machines_table};
use crate::output::time::Times;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Add machines for units to be placed on.
    AddMachine(AddMachine),
    /// Remove machines.
    RemoveMachine(RemoveMachine),
    /// List the machines of a model.
    Machines(Machines),
    /// Show machines in detail.
    ShowMachine(ShowMachine),
    /// Retry starting machines whose provisioning failed.
    RetryProvisioning(RetryProvisioning),
}

#[derive(Debug, Args)]
pub struct AddMachine {
    /// Juju's placement, as in lxd or zone=a; the provider always creates a new machine.
    #[arg(value_name = "PLACE", value_parser = new_machine)]
    pub place: Option<String>,
    /// Number to add.
    #[arg(short = 'n', long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub num_machines: u32,
    /// Constraints on them, as in "mem=4G cores=2"; repeat to combine.
    #[arg(long, value_name = "KEY=VALUE ...")]
    pub constraints: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveMachine {
    /// The machines.
    #[arg(required = true, value_name = "MACHINE")]
    pub machines: Vec<String>,
    /// Also remove its units, within a limited time.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    /// Also remove the storage of its units and its contents.
    #[arg(long)]
    pub destroy_storage: bool,
    /// Show what would be removed without removing it.
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Machines {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
pub struct ShowMachine {
    /// The machines [default: all in the model].
    #[arg(value_name = "MACHINE")]
    pub machines: Vec<String>,
    #[command(flatten)]
    pub shown: Shown,
}

#[derive(Debug, Args)]
pub struct RetryProvisioning {
    /// The machines.
    #[arg(
        value_name = "MACHINE",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    pub machines: Vec<String>,
    /// All machines with a provisioning error.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::AddMachine(arguments) => add(context, arguments).await,
        Verb::RemoveMachine(arguments) => remove(context, arguments).await,
        Verb::Machines(arguments) => list(context, arguments).await,
        Verb::ShowMachine(arguments) => show(context, arguments).await,
        Verb::RetryProvisioning(arguments) => retry(context, arguments).await,
    }
}

/// Adopting an existing machine is not supported, unlike placing a new one elsewhere.
fn new_machine(text: &str) -> Result<String, String> {
    match text.split_once(':') {
        Some((kind, _)) if kind != "lxd" && kind != "kvm" => Err(format!(
            "\"{text}\" is an existing machine: machines are created by their model's provider"
        )),
        _ => Ok(text.to_owned()),
    }
}

async fn add(context: &Context, arguments: AddMachine) -> Outcome {
    if let Some(place) = &arguments.place {
        context.output.say(&format!(
            "{place} is ignored: the model's provider always creates a new machine"
        ));
    }
    let constraints = constraints::read(&arguments.constraints)?.to_string();
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = AddMachines {
        count: arguments.num_machines,
        constraints,
    };
    let added = here.client().add_machines(&here.model, &request).await?;
    let ids: Vec<String> = added.iter().map(|machine| machine.id.to_string()).collect();
    context.output.data(&ids.join("\n"))
}

async fn remove(context: &Context, arguments: RemoveMachine) -> Outcome {
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
            going::tell(context, &here, unit.as_str(), arguments.destroy_storage).await?;
        }
    }
    if arguments.dry_run {
        return Ok(());
    }
    context.output.confirm(
        &format!("This removes the above from model \"{}\".", here.model),
        arguments.no_prompt,
    )?;
    let removing = Removing {
        force: arguments.force,
        timeout_ms: arguments.no_wait.then_some(0),
        destroy_storage: arguments.destroy_storage.then_some(true),
    };
    for id in &ids {
        here.client()
            .remove_machine(&here.model, id, removing)
            .await?;
    }
    Ok(())
}

async fn retry(context: &Context, arguments: RetryProvisioning) -> Outcome {
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
            .filter(|machine| machine.instance.status == Machine::ProvisioningError)
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
        context.output.say(&format!("retrying machine {id}"));
    }
    Ok(())
}

async fn list(context: &Context, arguments: Machines) -> Outcome {
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

async fn show(context: &Context, arguments: ShowMachine) -> Outcome {
    let ids: Vec<MachineId> = arguments
        .machines
        .iter()
        .map(|id| id.parse())
        .collect::<Result<_, _>>()?;
    let here = ModelSession::open(&context.files, &arguments.shown.model).await?;
    for id in &ids {
        // One that is not there is refused by its name.
        here.client().machine(&here.model, id).await?;
    }
    let mut status = here.client().status(&here.model, &[]).await?;
    let named = |id: &str| ids.iter().any(|wanted| wanted.as_str() == id);
    status.machines.retain(|id, _| ids.is_empty() || named(id));
    let times = Times::new(arguments.shown.utc);
    write(
        context,
        &arguments.shown,
        &machines_document(&status, &times),
    )
}
