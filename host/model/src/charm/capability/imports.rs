//! What a charm's components import against what the charm declares.
//!
//! An import that nothing declares is refused: what cannot be called needs no trust. A capability that no component
//! could use is no danger, and its author is told. Imports of WASI ask for nothing: language runtimes import all of
//! it, and what it reaches is what the sandbox opens. They only show that something declared could be used.

use thiserror::Error;

use super::tools::{INTERFACES, Needs};
use super::{Capability, Declaration};
use crate::Refusal;

/// How the names of the contract's interfaces begin.
const CONTRACT: &str = "periapt:charm/";

/// The imports of a charm's components, by the names in their binaries.
#[derive(Clone, Copy, Debug, Default)]
pub struct Imports<'a> {
    /// Of the component that answers hooks.
    pub charm: &'a [String],
    /// Of those of its web workloads.
    pub servers: &'a [String],
}

/// A component imports what its charm does not declare.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the component imports {} of periapt:charm, which the charm does not declare; add to its capabilities {}",
    listed(.needs),
    to_write(.needs)
)]
pub struct Undeclared {
    /// What is needed, in order, one at least.
    pub needs: Vec<Needs>,
}

impl Undeclared {
    pub const fn refusal(&self) -> Refusal {
        Refusal::CharmCapabilityUndeclared
    }
}

impl Declaration {
    /// Refuses a component that imports what is not declared.
    ///
    /// # Errors
    /// [`Undeclared`], with all that is missing.
    pub fn allows(&self, charm: &[String]) -> Result<(), Undeclared> {
        let imported = |name: &str| charm.iter().any(|import| is_of_contract(import, name));
        let wanted = INTERFACES.iter().filter_map(|interface| interface.needs);
        let missing = wanted.filter(|needs| imported(needs.interface()) && !self.meets(*needs));
        let mut needs: Vec<Needs> = missing.collect();
        needs.sort_unstable();
        match needs.is_empty() {
            true => Ok(()),
            false => Err(Undeclared { needs }),
        }
    }

    fn meets(&self, needs: Needs) -> bool {
        self.capabilities().any(|one| match (needs, one) {
            (Needs::Workload, Capability::Workload { .. })
            | (Needs::Ports, Capability::Port(_)) => true,
            (Needs::Tools(wanted), Capability::Tools(own)) => wanted == *own,
            _ => false,
        })
    }
}

/// A capability that no component of its charm could use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    pub capability: Capability,
    /// What a component would have to import for it.
    pub import: String,
}

impl Unused {
    /// The sentence for its author.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "the charm declares {}, and no component of it imports {}: take the entry out, or make use of it",
            self.capability, self.import
        )
    }
}

/// What is declared and no component could use.
#[must_use]
pub fn unused(declared: &Declaration, imports: Imports<'_>) -> Vec<Unused> {
    let charm = |name: &str| imports.charm.iter().any(|one| is_of_contract(one, name));
    let any = |begin: &str| {
        let mut all = imports.charm.iter().chain(imports.servers);
        all.any(|one| one.starts_with(begin))
    };
    let found = declared.capabilities().filter_map(|capability| {
        let (used, import) = match capability {
            Capability::Tools(tools) => (charm(tools.as_str()), tools.as_str()),
            Capability::Workload { .. } => (charm("workload"), "workload"),
            Capability::Port(_) => (charm("ports") || charm("workload"), "ports"),
            Capability::Shared { .. } | Capability::Storage { .. } => {
                (any("wasi:filesystem/"), "wasi:filesystem")
            }
            Capability::Egress(_) => (
                any("wasi:http/outgoing-handler@") || any("wasi:sockets/"),
                "wasi:http/outgoing-handler or wasi:sockets",
            ),
            Capability::Environment { .. } => {
                (any("wasi:cli/environment@"), "wasi:cli/environment")
            }
            Capability::Memory { .. } | Capability::Time { .. } => return None,
        };
        (!used).then(|| Unused {
            capability: capability.clone(),
            import: import.to_owned(),
        })
    });
    found.collect()
}

/// Whether an import is this interface of the contract, in any version.
#[must_use]
pub fn is_of_contract(import: &str, name: &str) -> bool {
    let rest = import.strip_prefix(CONTRACT);
    let rest = rest.and_then(|rest| rest.strip_prefix(name));
    rest.is_some_and(|version| version.is_empty() || version.starts_with('@'))
}

/// `ports`, `ports and secret`, `ports, reboot and secret`.
fn listed(needs: &[Needs]) -> String {
    let names: Vec<&str> = needs.iter().map(|needs| needs.interface()).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The entries that are missing, as they are written.
fn to_write(needs: &[Needs]) -> String {
    let mut entries = Vec::new();
    if needs.contains(&Needs::Workload) {
        // Its ports are the charm's as well.
        entries.push("workload: {CONTAINER: {ports: [80/tcp], why: …}}".to_owned());
    } else if needs.contains(&Needs::Ports) {
        entries.push("ports: {80/tcp: {why: …}}".to_owned());
    }
    let tools = needs.iter().filter_map(|needs| match needs {
        Needs::Tools(tools) => Some(format!("{tools}: {{why: …}}")),
        Needs::Workload | Needs::Ports => None,
    });
    let tools: Vec<String> = tools.collect();
    if !tools.is_empty() {
        entries.push(format!("tools: {{{}}}", tools.join(", ")));
    }
    entries.join(" and ")
}
