//! Whether a unit's ports may change as its hook asked, which is known only at the commit: other
//! units of its machine open ports as well.

use super::{Changes, OpenPorts, OpeningError, Openings, PortRange, Protocol};

/// A range that cannot be opened, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused<O> {
    /// `owner` has opened a part of it; none is the unit itself.
    Taken {
        range: PortRange,
        open: PortRange,
        owner: Option<O>,
    },
    /// One more than a unit may have open.
    TooMany { range: PortRange },
}

impl Changes {
    /// The unit's ports after the commit, when before it they were `before`.
    ///
    /// # Errors
    /// Another unit of the machine, or this one, has opened a part of a range, or it is one too
    /// many.
    pub fn applied<O: Clone>(
        &self,
        before: &Openings,
        others: &OpenPorts<O>,
    ) -> Result<Openings, Refused<O>> {
        let mut after = before.clone();
        for range in &self.close {
            after.remove(range);
        }
        for opening in &self.open {
            let range = opening.ports;
            let taken = |open, owner| Refused::Taken { range, open, owner };
            if let Some((open, owner)) = others.meets(&range) {
                return Err(taken(open, Some(owner.clone())));
            }
            let set = after.set(range, opening.endpoints.clone());
            set.map_err(|error| match error {
                OpeningError::Overlaps { open, .. } | OpeningError::Part { open, .. } => {
                    taken(open, None)
                }
                OpeningError::TooMany { range } => Refused::TooMany { range },
            })?;
        }
        Ok(after)
    }
}

impl<O: Clone> OpenPorts<O> {
    /// Adds what another unit of the machine has opened. Every unit may answer to pings.
    pub fn insert_of(&mut self, owner: &O, ranges: impl IntoIterator<Item = PortRange>) {
        let ranges = ranges.into_iter();
        for range in ranges.filter(|range| range.protocol != Protocol::Icmp) {
            self.insert(range, owner.clone());
        }
    }
}
