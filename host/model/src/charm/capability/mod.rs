//! What a charm declares that it needs beyond what every charm has, one value for each thing.
//!
//! A [`Capability`] is a value with a text that people write and grants name (`shared/logs:read-write`,
//! `tools/secret`, `port/80/tcp`), with an order, and with a rule for which one covers which. A
//! [`Declaration`] is a charm's set of them, each with the charm's reason in words. The set is read from
//! `capabilities.yaml` (`read`) and held against what the charm's component imports (`imports`), so that what an
//! operator reads before a deploy is all that the charm can call.
//!
//! What a model's policies allow is a list of [`Pattern`]s (`policy`); which of a declaration an application has, given
//! those and what people decided, is a rule (`grant`). Nothing here keeps a decision or carries one out.

use serde::{Deserialize, Serialize};

use super::Access;
use crate::ports::PortRange;

mod covers;
mod declaration;
mod egress;
pub mod grant;
mod imports;
mod policy;
pub(super) mod read;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
mod text;
mod tools;
mod words;

pub use declaration::{Change, Declaration, Declared};
pub use egress::{Egress, Host, Via};
pub use imports::{Imports, Undeclared, Unused, is_of_contract, unused};
pub use policy::{Pattern, Policy};
pub use text::NotACapability;
pub use tools::{INTERFACES, Interface, Needs, Tools};

/// One thing that a charm may need beyond what every charm has.
///
/// The order is that of reading: files first, then what runs and who is reached, then limits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Capability {
    /// A directory that a principal and its subordinates share.
    Shared { directory: String, access: Access },
    /// Storage of the charm's metadata.
    Storage { name: String, access: Access },
    /// Services in a container, which are components of the charm.
    Workload { container: String },
    /// Ports that it may open.
    Port(PortRange),
    /// Connections that it may make.
    Egress(Egress),
    /// A group of host functions that reaches more than the unit and its relations.
    Tools(Tools),
    /// A variable of the environment.
    Environment { name: String },
    /// Memory of a hook, in MiB.
    Memory { mebibytes: u32 },
    /// Time of a hook, in milliseconds.
    Time { milliseconds: u32 },
}

/// Memory that a component can address at all: its pointers have 32 bits.
pub(crate) const MOST_MEBIBYTES: u32 = 4096;
/// A hook that takes longer than this is not waited for by anybody.
pub(crate) const MOST_MILLISECONDS: u32 = 3_600_000;
