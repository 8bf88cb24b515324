//! The interfaces of the contract, and which of them a charm has to declare.
//!
//! An interface is basic if it tells a charm only about its unit, its application and its relations, or gives it
//! nothing that its metadata does not name. Every charm may import those. What reaches anything else is beyond the
//! basic set, and a component that imports it is refused unless its charm declares a capability for it. Access to
//! what an interface names is a matter of its own: a directory is not reached because a function told its path.

use std::fmt;
use std::str::FromStr;

use super::NotACapability;
use crate::nearest::suggestion;

/// A group of host functions beyond the basic set: all of one interface of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tools {
    Credential,
    Reboot,
    Secret,
}

impl Tools {
    pub const ALL: [Tools; 3] = [Tools::Credential, Tools::Reboot, Tools::Secret];

    /// The interface.
    pub const fn as_str(self) -> &'static str {
        match self {
            Tools::Credential => "credential",
            Tools::Reboot => "reboot",
            Tools::Secret => "secret",
        }
    }

    /// What a charm that has it may do.
    pub(super) const fn does(self) -> &'static str {
        match self {
            Tools::Credential => {
                "read the credential of its model's cloud, if an operator trusts it"
            }
            Tools::Reboot => "restart its machine, with all units on it",
            Tools::Secret => "keep secrets, grant them to others and read those granted to it",
        }
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Tools {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let names = Tools::ALL.map(Tools::as_str);
        if let Some(found) = Tools::ALL.into_iter().find(|tools| tools.as_str() == text) {
            return Ok(found);
        }
        let known = INTERFACES.iter().find(|interface| interface.name == text);
        Err(NotACapability(match known.map(|known| known.needs) {
            Some(None) => format!("every charm has the tools \"{text}\"; take the entry out"),
            Some(Some(Needs::Ports)) => format!(
                "the tools \"{text}\" come with the ports that the charm declares, as in ports: {{80/tcp: {{why: …}}}}"
            ),
            Some(Some(_)) => format!(
                "the tools \"{text}\" come with a container that the charm declares under workload"
            ),
            None => format!(
                "\"{text}\" are no tools; there are {}{}",
                names.join(", "),
                suggestion(text, names)
            ),
        }))
    }
}

/// What has to be declared for an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Needs {
    /// A container under `workload`.
    Workload,
    /// A port, of the charm itself or of a container.
    Ports,
    Tools(Tools),
}

impl Needs {
    /// The interface whose import needs it.
    pub const fn interface(self) -> &'static str {
        match self {
            Needs::Workload => "workload",
            Needs::Ports => "ports",
            Needs::Tools(tools) => tools.as_str(),
        }
    }
}

/// An interface of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    pub name: &'static str,
    /// Nothing for a basic one.
    pub needs: Option<Needs>,
    /// Why it is basic, or is not.
    pub why: &'static str,
}

const fn basic(name: &'static str, why: &'static str) -> Interface {
    Interface {
        name,
        needs: None,
        why,
    }
}

const fn beyond(needs: Needs, why: &'static str) -> Interface {
    Interface {
        name: needs.interface(),
        needs: Some(needs),
        why,
    }
}

/// All interfaces, in the order of their names. A test of the sandbox holds them against the hook tools.
pub const INTERFACES: &[Interface] = &[
    basic(
        "action",
        "what an operator asked the unit to run, and its results",
    ),
    basic("config", "the options of the application"),
    beyond(
        Needs::Tools(Tools::Credential),
        "what proves who one is to the cloud of the model, with which everything there can be changed",
    ),
    basic(
        "goal-state",
        "which units are expected, of the application and in its relations",
    ),
    basic(
        "leadership",
        "whether the unit leads its application, and what the leader told it",
    ),
    basic("log", "lines in the log of the model, bounded"),
    basic(
        "metrics",
        "what the charm's `metrics.yaml` declares, measured of the unit",
    ),
    basic(
        "network",
        "the unit's own addresses; it connects to nothing",
    ),
    basic(
        "payloads",
        "what the unit says that it runs, of the classes in its metadata",
    ),
    beyond(
        Needs::Ports,
        "who may reach the unit, once it is exposed or related",
    ),
    beyond(
        Needs::Tools(Tools::Reboot),
        "the hooks and services of every unit on the machine, which it ends",
    ),
    basic(
        "relation",
        "the relations that operators made, with what both sides say there",
    ),
    basic(
        "resources",
        "files that the metadata names and an operator attached",
    ),
    beyond(
        Needs::Tools(Tools::Secret),
        "values that belong to other applications, and grants of its own to them",
    ),
    basic("state", "what the unit keeps for itself"),
    basic("status", "what the unit says of itself"),
    basic(
        "storage",
        "storage that the metadata names; each is a capability by itself",
    ),
    basic("types", "names of types alone; there is nothing to call"),
    basic("unit", "the unit's name, model, addresses and version"),
    beyond(
        Needs::Workload,
        "what keeps running and answers strangers after the hook has ended",
    ),
];
