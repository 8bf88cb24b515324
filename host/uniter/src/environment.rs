//! The environment variables of a hook.
//!
//! Nothing is inherited. Of Juju's variables those are set that mean something in a sandbox:
//! none of the agent's socket, and no context id, because the sandbox itself is the context.

use periapt_model::hook::Kind;
use periapt_model::{MachineId, UnitName};

use crate::process::ModelIdentity;

/// The Juju release whose hook environment is kept, as charm libraries read it.
pub const JUJU_VERSION: &str = "3.6.0";
/// Where a charm finds its own files.
pub const CHARM_DIRECTORY: &str = "/charm";

pub fn variables(
    unit: &UnitName,
    model: &ModelIdentity,
    machine: Option<&MachineId>,
    principal: Option<&UnitName>,
    hook: Kind,
) -> Vec<(String, String)> {
    let fixed = [
        ("CHARM_DIR", CHARM_DIRECTORY.to_owned()),
        ("JUJU_CHARM_DIR", CHARM_DIRECTORY.to_owned()),
        ("JUJU_HOOK_NAME", hook.to_string()),
        ("JUJU_DISPATCH_PATH", format!("hooks/{hook}")),
        ("JUJU_UNIT_NAME", unit.to_string()),
        ("JUJU_MODEL_NAME", model.name.to_string()),
        ("JUJU_MODEL_UUID", model.uuid.to_string()),
        ("JUJU_VERSION", JUJU_VERSION.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
    ];
    let machine = machine.map(|id| ("JUJU_MACHINE_ID", id.to_string()));
    let principal = principal.map(|unit| ("JUJU_PRINCIPAL_UNIT", unit.to_string()));
    fixed
        .into_iter()
        .chain(machine)
        .chain(principal)
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
