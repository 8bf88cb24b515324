//! The ports that one unit has open, and for which of its endpoints.
//!
//! The same range may be open for several endpoints. A range that overlaps another one of the unit
//! is refused, whatever the endpoints, as `open-port` does; it is closed as a whole. The rule is one
//! for a hook's transaction, its commit and whatever is decided about who reaches whom.
//!
//! Source: the public documentation of `open-port` and `close-port`.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{OpenPorts, PortRange};
use crate::bounds::PORT_RANGES;

/// Endpoints of a unit's application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Endpoints {
    /// Also those that its charm gets later.
    All,
    /// At least one.
    Named(BTreeSet<String>),
}

impl Endpoints {
    /// All for an empty list, as `open-port` without `--endpoints`.
    pub fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        match names.is_empty() {
            true => Endpoints::All,
            false => Endpoints::Named(names),
        }
    }

    pub fn include(&self, endpoint: &str) -> bool {
        match self {
            Endpoints::All => true,
            Endpoints::Named(names) => names.contains(endpoint),
        }
    }

    /// In order; none stands for all.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = match self {
            Endpoints::All => None,
            Endpoints::Named(names) => Some(names),
        };
        names.into_iter().flatten().map(String::as_str)
    }
}

/// A range that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Opening {
    pub ports: PortRange,
    pub endpoints: Endpoints,
}

/// What is open for all endpoints is written as the range alone, as it was before there were others.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    All(PortRange),
    Named {
        ports: PortRange,
        endpoints: BTreeSet<String>,
    },
}

impl From<Written> for Opening {
    fn from(written: Written) -> Self {
        match written {
            Written::All(ports) => Self::from(ports),
            Written::Named { ports, endpoints } => Self {
                ports,
                endpoints: Endpoints::of(endpoints),
            },
        }
    }
}

impl From<Opening> for Written {
    fn from(opening: Opening) -> Self {
        let ports = opening.ports;
        match opening.endpoints {
            Endpoints::All => Written::All(ports),
            Endpoints::Named(endpoints) => Written::Named { ports, endpoints },
        }
    }
}

/// For all endpoints.
impl From<PortRange> for Opening {
    fn from(ports: PortRange) -> Self {
        Self {
            ports,
            endpoints: Endpoints::All,
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ports.fmt(f)?;
        let names: Vec<&str> = self.endpoints.names().collect();
        match names.as_slice() {
            [] => Ok(()),
            names => write!(f, " for {}", names.join(", ")),
        }
    }
}

/// Why a range is not opened or closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningError {
    Overlaps { range: PortRange, open: PortRange },
    Part { range: PortRange, open: PortRange },
    TooMany { range: PortRange },
}

impl OpeningError {
    pub fn code(&self) -> &'static str {
        match self {
            OpeningError::Overlaps { .. } => "port-range-overlaps",
            OpeningError::Part { .. } => "port-range-is-part",
            OpeningError::TooMany { .. } => "too-many-ports",
        }
    }
}

impl fmt::Display for OpeningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpeningError::Overlaps { range, open } => write!(
                f,
                "cannot open {range}: it overlaps {open}, which the unit has open"
            ),
            OpeningError::Part { range, open } => write!(
                f,
                "cannot close {range}: the unit has {open} open; close that range as a whole"
            ),
            OpeningError::TooMany { range } => write!(
                f,
                "cannot open {range}, the unit has {} port ranges open, the most there may be; open a range instead of single ports",
                PORT_RANGES.most
            ),
        }
    }
}

impl Error for OpeningError {}

/// What one unit has open, in order; no two ranges claim the same port. `icmp` has no numbers and
/// overlaps nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Opening>", into = "Vec<Opening>")]
pub struct Openings(OpenPorts<Endpoints>);

impl Openings {
    /// Opens a range for these endpoints beside those that it is open for.
    ///
    /// # Errors
    /// It overlaps another range, or it is one too many.
    pub fn open(&mut self, range: PortRange, endpoints: Endpoints) -> Result<(), OpeningError> {
        let endpoints = match (self.endpoints(&range), endpoints) {
            (Some(Endpoints::All), _) => Endpoints::All,
            (Some(Endpoints::Named(open)), Endpoints::Named(names)) => {
                Endpoints::Named(open.union(&names).cloned().collect())
            }
            (_, endpoints) => endpoints,
        };
        self.set(range, endpoints)
    }

    /// Opens a range for these endpoints and no others.
    ///
    /// # Errors
    /// As [`Openings::open`].
    pub fn set(&mut self, range: PortRange, endpoints: Endpoints) -> Result<(), OpeningError> {
        match self.0.meets(&range) {
            Some((open, _)) if open != range => {
                return Err(OpeningError::Overlaps { range, open });
            }
            None if PORT_RANGES.exceeded_by(self.0.len() + 1) => {
                return Err(OpeningError::TooMany { range });
            }
            _ => {}
        }
        self.0.insert(range, endpoints);
        Ok(())
    }

    /// Closes a range for these endpoints. What is open for all endpoints and closed for some stays
    /// open for the others of `known`, which are all that the unit's charm has. Closing what is
    /// not open changes nothing.
    ///
    /// # Errors
    /// It is a part of an open range, or overlaps one.
    pub fn close<'a>(
        &mut self,
        range: PortRange,
        endpoints: &Endpoints,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), OpeningError> {
        let open = match self.0.meets(&range) {
            Some((open, _)) if open != range => return Err(OpeningError::Part { range, open }),
            Some((_, open)) => open,
            None => return Ok(()),
        };
        let left: BTreeSet<String> = match (open, endpoints) {
            (_, Endpoints::All) => BTreeSet::new(),
            (Endpoints::Named(open), Endpoints::Named(names)) => {
                open.difference(names).cloned().collect()
            }
            (Endpoints::All, Endpoints::Named(names)) => {
                let known = known.into_iter().map(str::to_owned);
                known.filter(|name| !names.contains(name)).collect()
            }
        };
        match left.is_empty() {
            true => {
                self.0.remove(&range);
            }
            false => self.0.insert(range, Endpoints::Named(left)),
        }
        Ok(())
    }

    /// Closes exactly this range, for all endpoints.
    pub fn remove(&mut self, range: &PortRange) {
        self.0.remove(range);
    }

    /// Those for which exactly this range is open.
    pub fn endpoints(&self, range: &PortRange) -> Option<&Endpoints> {
        let (open, endpoints) = self.0.meets(range)?;
        (open == *range).then_some(endpoints)
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = (PortRange, &Endpoints)> {
        self.0.entries()
    }

    /// For which endpoints all of these ports are open, by one range.
    pub fn at(&self, ports: PortRange) -> Option<&Endpoints> {
        let (open, endpoints) = self.0.meets(&ports)?;
        (open.start <= ports.start && open.end >= ports.end).then_some(endpoints)
    }

    /// In order, whatever the endpoints.
    pub fn ranges(&self) -> impl Iterator<Item = PortRange> {
        self.0.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What was written was open together.
impl From<Vec<Opening>> for Openings {
    fn from(openings: Vec<Opening>) -> Self {
        openings.into_iter().collect()
    }
}

impl FromIterator<Opening> for Openings {
    fn from_iter<I: IntoIterator<Item = Opening>>(openings: I) -> Self {
        let mut open = OpenPorts::default();
        for opening in openings {
            open.insert(opening.ports, opening.endpoints);
        }
        Self(open)
    }
}

/// For all endpoints.
impl FromIterator<PortRange> for Openings {
    fn from_iter<I: IntoIterator<Item = PortRange>>(ranges: I) -> Self {
        ranges.into_iter().map(Opening::from).collect()
    }
}

impl From<Openings> for Vec<Opening> {
    fn from(openings: Openings) -> Self {
        let entries = openings.iter();
        entries
            .map(|(ports, endpoints)| Opening {
                ports,
                endpoints: endpoints.clone(),
            })
            .collect()
    }
}
