//! Who may reach whom: the ports that units have open, the applications that are exposed, and the
//! document that follows of them.
//!
//! [`Openings`] are one unit's ports, for all of its endpoints or for some. [`Exposures`] say to
//! which addresses outside an application shows what its units have open. [`Network::document`]
//! makes the desired state of a whole model of both, with the relations; [`Document::difference`]
//! is what has to be opened and closed on the way from one to another. What carries it out, and
//! which address a unit has, is not known here.

use std::collections::{BTreeMap, BTreeSet};

use crate::{ApplicationName, UnitName};

mod cidr;
mod document;
mod exposure;
#[cfg(test)]
mod tests;

pub use cidr::{Cidr, CidrError};
pub use document::{Difference, Document, Flow, Ingress};
pub use exposure::{Exposures, NotExposed};
pub use periapt_contract::ports::{Endpoints, OpeningError, Openings};

/// Who reaches whom inside a model: the option `reachability`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Units of related applications, at the ports that are open for the relation's endpoint.
    #[default]
    Relations,
    /// Every unit every other at all ports, as in Juju.
    Model,
}

/// One end of a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct End {
    pub application: ApplicationName,
    pub endpoint: String,
}

/// A relation that exists, also while it is dying.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// Two, or one of peers.
    pub ends: Vec<End>,
    /// Nobody reaches anybody by it.
    pub suspended: bool,
    /// It holds only between a principal and its own subordinates.
    pub container: bool,
}

/// What is known of a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Of a subordinate.
    pub principal: Option<UnitName>,
    pub openings: Openings,
}

/// A model, as far as it decides who reaches whom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
        // In the other mode all is open inside, which needs no list.
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
        for (application, units) in &units {
            for (name, unit) in units {
                for (range, endpoints) in unit.openings.iter() {
                    let sources = self.exposures.sources(application, endpoints);
                    document
                        .ingress
                        .extend(sources.into_iter().map(|from| Ingress {
                            to: (*name).clone(),
                            ports: range,
                            from,
                        }));
                }
            }
        }
        document
    }
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
