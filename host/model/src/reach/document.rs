//! What is to be reachable in a model, and what changes between two such documents.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Cidr, Mode};
use crate::UnitName;
use crate::ports::PortRange;

/// A unit reaches another of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Flow {
    pub from: UnitName,
    pub to: UnitName,
    pub ports: PortRange,
}

/// Addresses outside reach a unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Ingress {
    pub to: UnitName,
    pub ports: PortRange,
    pub from: Cidr,
}

/// All that is reachable; what is not in it is not. Everything is in order, so that the same state
/// is the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Document {
    /// With [`Mode::Model`] every unit reaches every other, and there are no flows.
    pub mode: Mode,
    pub flows: BTreeSet<Flow>,
    pub ingress: BTreeSet<Ingress>,
}

/// The way from one document to another. Both halves together are one change: a range that grew is
/// closed as it was and opened as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Difference {
    /// The new one, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    pub open: BTreeSet<Flow>,
    pub close: BTreeSet<Flow>,
    pub open_ingress: BTreeSet<Ingress>,
    pub close_ingress: BTreeSet<Ingress>,
}

impl Difference {
    pub fn is_empty(&self) -> bool {
        *self == Difference::default()
    }
}

impl Document {
    /// What is opened and closed on the way to `new`.
    pub fn difference(&self, new: &Document) -> Difference {
        Difference {
            mode: (self.mode != new.mode).then_some(new.mode),
            open: new.flows.difference(&self.flows).cloned().collect(),
            close: self.flows.difference(&new.flows).cloned().collect(),
            open_ingress: new.ingress.difference(&self.ingress).cloned().collect(),
            close_ingress: self.ingress.difference(&new.ingress).cloned().collect(),
        }
    }

    /// Goes that way.
    pub fn apply(&mut self, difference: &Difference) {
        self.mode = difference.mode.unwrap_or(self.mode);
        self.flows.retain(|flow| !difference.close.contains(flow));
        self.flows.extend(difference.open.iter().cloned());
        let closed = &difference.close_ingress;
        self.ingress.retain(|ingress| !closed.contains(ingress));
        self.ingress.extend(difference.open_ingress.iter().cloned());
    }
}
