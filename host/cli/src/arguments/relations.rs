//! Verbs about relations and machines.

use clap::Args;
use periapt_model::MachineId;

use super::{ListFormat, ModelChoice, Target};

const FITTING: &str = "\
One endpoint provides what the other requires. Leave the endpoint out where only one fits:
  periapt integrate front site
  periapt integrate front:website site:website";

#[derive(Debug, Args)]
#[command(after_help = FITTING)]
pub struct Integrate {
    /// One end.
    #[arg(value_name = "APPLICATION[:ENDPOINT]")]
    pub first: String,
    /// The other end.
    #[arg(value_name = "APPLICATION[:ENDPOINT]")]
    pub second: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveRelation {
    /// Both ends, or the relation's number.
    #[arg(required = true, num_args = 1..=2, value_name = "APPLICATION[:ENDPOINT]|ID")]
    pub words: Vec<String>,
    /// Remove it within a bounded time, whether or not its hooks ran.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct SuspendRelation {
    /// Numbers of relations; `show-unit` shows them.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<u64>,
    /// Why, to be shown in status.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub message: String,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ResumeRelation {
    /// Numbers of relations; `show-unit` shows them.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<u64>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct AddMachine {
    /// How many.
    #[arg(short = 'n', long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub num_machines: u32,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct RemoveMachine {
    /// The machines.
    #[arg(required = true, value_name = "MACHINE")]
    pub machines: Vec<String>,
    /// Remove the units on it too, within a bounded time.
    #[arg(long)]
    pub force: bool,
    /// With --force: do not wait for anything.
    #[arg(long, requires = "force")]
    pub no_wait: bool,
    /// Do not ask.
    #[arg(long, visible_alias = "yes", short = 'y')]
    pub no_prompt: bool,
    #[command(flatten)]
    pub model: ModelChoice,
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

#[derive(Debug, Args)]
pub struct Machines {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    /// Show times in UTC, in ISO form.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

/// Where new units go.
#[derive(Clone, Debug, Default, Args)]
pub struct Placement {
    /// Machines for the units, in their order; units beyond get new ones.
    #[arg(long = "to", value_name = "MACHINE,...", value_delimiter = ',', value_parser = machine)]
    pub machines: Vec<MachineId>,
}

fn machine(text: &str) -> Result<MachineId, String> {
    text.parse()
        .map_err(|_| format!("\"{text}\" is not a machine: use its number, as in 0"))
}
