//! Who may reach whom: the ports that units have open, the applications that are exposed, and the
//! document that follows of them.
//!
//! [`Openings`] are one unit's ports, for all of its endpoints or for some. [`Exposures`] say to
//! which addresses outside an application shows what its units have open. [`Network::document`]
//! makes the desired state of a whole model of both, with the relations; [`Document::difference`]
//! is what has to be opened and closed on the way from one to another. Whoever has one unit or one
//! address before it asks [`Network::allows`] and [`Network::admits`], which need no list of all. What
//! carries it out is not known here; [`published`] is what it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::config::{Value, Values};
use crate::ports::PortRange;
use crate::{ApplicationName, UnitName};

mod address;
mod cidr;
mod document;
mod exposure;
pub mod published;
#[cfg(test)]
mod tests;

pub use address::{UNIT_ADDRESSES, unit_address};
pub use cidr::{Cidr, CidrError};
pub use document::{Difference, Document, Flow, Ingress};
pub use exposure::{
    ExposedEndpoint, ExposedEndpoints, Exposure, ExposureError, Exposures, NotExposed,
};
pub use periapt_contract::ports::{Endpoints, OpeningError, Openings};

/// Who reaches whom inside a model: the option `reachability`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Units of related applications, at the ports that are open for the relation's endpoint.
    #[default]
    Relations,
    /// Every unit every other at all that it has open, as in Juju.
    Model,
}

impl Mode {
    /// What effective options say.
    pub fn of(values: &Values) -> Self {
        match values.get("reachability") {
            Some(Value::Text(word)) if word == Mode::Model.as_str() => Mode::Model,
            _ => Mode::Relations,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Relations => "relations",
            Mode::Model => "model",
        }
    }
}

/// One end of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct End {
    pub application: ApplicationName,
    pub endpoint: String,
}

/// A relation that exists, also while it is dying.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Relation {
    /// Two, or one of peers.
    pub ends: Vec<End>,
    /// Nobody reaches anybody by it.
    pub suspended: bool,
    /// It holds only between a principal and its own subordinates.
    pub container: bool,
}

/// Units of an application reach those of another by a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way<'a> {
    pub from: &'a ApplicationName,
    /// Of those that are reached.
    pub endpoint: &'a str,
    /// Only within one container.
    pub container: bool,
}

/// What is known of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Unit {
    /// Of a subordinate.
    pub principal: Option<UnitName>,
    pub openings: Openings,
}

/// A model, as far as it decides who reaches whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Network {
    pub mode: Mode,
    pub units: BTreeMap<UnitName, Unit>,
    /// In any order; saying one twice changes nothing.
    pub relations: Vec<Relation>,
    pub exposures: Exposures,
}

impl Network {
    /// What is to be reachable.
    pub fn document(&self) -> Document {
        let mut units: BTreeMap<ApplicationName, Vec<(&UnitName, &Unit)>> = BTreeMap::new();
        for (name, unit) in &self.units {
            units
                .entry(name.application())
                .or_default()
                .push((name, unit));
        }
        let mut document = Document {
            mode: self.mode,
            ..Document::default()
        };
        let of = |application| units.get(application).map_or(&[][..], Vec::as_slice);
        // In the other mode everybody reaches what is open, which needs no list.
        let relations = self.relations.iter().filter(|relation| !relation.suspended);
        for relation in relations.filter(|_| self.mode == Mode::Relations) {
            let (one, other) = match relation.ends.as_slice() {
                [peers] => (peers, peers),
                [one, other] => (one, other),
                _ => continue,
            };
            for (from, to) in [(one, other), (other, one)] {
                let flows = &mut document.flows;
                related(
                    of(&from.application),
                    of(&to.application),
                    to,
                    relation,
                    flows,
                );
            }
        }
        document.ingress = self.ingress();
        document
    }

    /// Which addresses outside reach what.
    pub fn ingress(&self) -> BTreeSet<Ingress> {
        let mut ingress = BTreeSet::new();
        for (name, unit) in &self.units {
            let application = name.application();
            if !self.exposures.is_exposed(&application) {
                continue;
            }
            for (range, endpoints) in unit.openings.iter() {
                let sources = self.exposures.sources(&application, endpoints);
                ingress.extend(sources.into_iter().map(|from| Ingress {
                    to: name.clone(),
                    ports: range,
                    from,
                }));
            }
        }
        ingress
    }

    /// By what relation units of one application reach those of another, by the latter: which ports
    /// that are depends on what the unit has open for the endpoint.
    pub fn ways(&self) -> BTreeMap<ApplicationName, Vec<Way<'_>>> {
        let mut ways: BTreeMap<ApplicationName, Vec<Way<'_>>> = BTreeMap::new();
        let relations = self.relations.iter().filter(|relation| !relation.suspended);
        for relation in relations.filter(|_| self.mode == Mode::Relations) {
            let ends = match relation.ends.as_slice() {
                [peers] => vec![(peers, peers)],
                [one, other] => vec![(one, other), (other, one)],
                _ => Vec::new(),
            };
            for (from, to) in ends {
                let way = Way {
                    from: &from.application,
                    endpoint: &to.endpoint,
                    container: relation.container,
                };
                let known = ways.entry(to.application.clone()).or_default();
                if !known.contains(&way) {
                    known.push(way);
                }
            }
        }
        ways
    }

    /// Whether a unit reaches another at all of these ports, as [`Network::document`] has it.
    pub fn allows(&self, from: &UnitName, to: &UnitName, ports: PortRange) -> bool {
        let (Some(here), Some(there)) = (self.units.get(from), self.units.get(to)) else {
            return false;
        };
        if from == to {
            return false;
        }
        let Some(open) = there.openings.at(ports) else {
            return false;
        };
        if self.mode == Mode::Model {
            return true;
        }
        let apart = container(from, here) != container(to, there);
        let (from, to) = (from.application(), to.application());
        self.relations.iter().any(|relation| {
            let led = match relation.ends.as_slice() {
                [peers] => leads(peers, peers, &from, &to, open),
                [one, other] => {
                    leads(one, other, &from, &to, open) || leads(other, one, &from, &to, open)
                }
                _ => false,
            };
            led && !relation.suspended && !(relation.container && apart)
        })
    }

    /// Whether an address outside reaches a unit at all of these ports, as [`Network::document`] has it.
    pub fn admits(&self, unit: &UnitName, ports: PortRange, from: IpAddr) -> bool {
        let open = self
            .units
            .get(unit)
            .and_then(|unit| unit.openings.at(ports));
        let from = from.to_canonical();
        open.is_some_and(|endpoints| {
            let sources = self.exposures.sources(&unit.application(), endpoints);
            sources.iter().any(|source| source.contains(from))
        })
    }
}

/// Whether the way from one end of a relation to the other is one between these applications, to what is
/// open for the end.
fn leads(
    here: &End,
    there: &End,
    from: &ApplicationName,
    to: &ApplicationName,
    open: &Endpoints,
) -> bool {
    here.application == *from && there.application == *to && open.include(&there.endpoint)
}

/// Adds what the units of one application reach of the units of another by a relation.
fn related(
    from: &[(&UnitName, &Unit)],
    to: &[(&UnitName, &Unit)],
    end: &End,
    relation: &Relation,
    flows: &mut BTreeSet<Flow>,
) {
    for (to, there) in to {
        let open = there
            .openings
            .iter()
            .filter(|(_, at)| at.include(&end.endpoint));
        for (ports, _) in open {
            for (from, here) in from {
                let apart = || container(from, here) != container(to, there);
                if from == to || relation.container && apart() {
                    continue;
                }
                flows.insert(Flow {
                    from: (*from).clone(),
                    to: (*to).clone(),
                    ports,
                });
            }
        }
    }
}

/// The principal in whose place a unit lives.
fn container<'a>(name: &'a UnitName, unit: &'a Unit) -> &'a UnitName {
    unit.principal.as_ref().unwrap_or(name)
}
