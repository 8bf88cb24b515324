//! Where new units go, as verbs take it.

use clap::Args;
use periapt_model::MachineId;

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
