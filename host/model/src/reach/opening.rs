//! The ports that one unit has open, and for which of its endpoints.
//!
//! The same range may be open for several endpoints. A range that overlaps another one of the unit
//! is refused, whatever the endpoints, as `open-port` does; it is closed as a whole.
//!
//! Source: the public documentation of `open-port` and `close-port`.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::bounds::PORT_RANGES;
use crate::ports::{OpenPorts, PortRange};

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
}

/// Why a range is not opened or closed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    #[error("cannot open {range}: it overlaps {open}, which the unit has open")]
    Overlaps { range: PortRange, open: PortRange },
    #[error("cannot close {range}: the unit has {open} open; close that range as a whole")]
    Part { range: PortRange, open: PortRange },
    #[error("cannot open {range}: the unit has as many port ranges open as there may be, {}; open a range instead of single ports", PORT_RANGES.most)]
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

/// What one unit has open, in order; no two ranges claim the same port. `icmp` has no numbers and
/// overlaps nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Openings(BTreeMap<PortRange, Endpoints>);

impl Openings {
    /// Opens a range for these endpoints beside those that it is open for.
    ///
    /// # Errors
    /// It overlaps another range, or it is one too many.
    pub fn open(&mut self, range: PortRange, endpoints: Endpoints) -> Result<(), OpeningError> {
        match self.meets(&range) {
            Some(open) if open != range => return Err(OpeningError::Overlaps { range, open }),
            None if PORT_RANGES.exceeded_by(self.0.len() + 1) => {
                return Err(OpeningError::TooMany { range });
            }
            _ => {}
        }
        match (self.0.get_mut(&range), endpoints) {
            (Some(Endpoints::All), _) => {}
            (Some(Endpoints::Named(open)), Endpoints::Named(names)) => open.extend(names),
            (_, endpoints) => {
                self.0.insert(range, endpoints);
            }
        }
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
        match self.meets(&range) {
            Some(open) if open != range => return Err(OpeningError::Part { range, open }),
            _ => {}
        }
        let left: BTreeSet<String> = match (self.0.get(&range), endpoints) {
            (None, _) => return Ok(()),
            (Some(_), Endpoints::All) => BTreeSet::new(),
            (Some(Endpoints::Named(open)), Endpoints::Named(names)) => {
                open.difference(names).cloned().collect()
            }
            (Some(Endpoints::All), Endpoints::Named(names)) => {
                let known = known.into_iter().map(str::to_owned);
                known.filter(|name| !names.contains(name)).collect()
            }
        };
        match left.is_empty() {
            true => self.0.remove(&range),
            false => self.0.insert(range, Endpoints::Named(left)),
        };
        Ok(())
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = (PortRange, &Endpoints)> {
        self.0.iter().map(|(range, endpoints)| (*range, endpoints))
    }

    /// For which endpoints all of these ports are open, by one range.
    pub fn at(&self, ports: PortRange) -> Option<&Endpoints> {
        // Of the ranges, which do not overlap, the last that begins in time is the only one that may do.
        let until = PortRange {
            end: u16::MAX,
            ..ports
        };
        let (range, endpoints) = self.0.range(..=until).next_back()?;
        let holds = range.protocol == ports.protocol
            && range.start <= ports.start
            && range.end >= ports.end;
        holds.then_some(endpoints)
    }

    fn meets(&self, range: &PortRange) -> Option<PortRange> {
        let open: OpenPorts = self.0.keys().copied().collect();
        open.meets(range).map(|(open, ())| open)
    }
}
