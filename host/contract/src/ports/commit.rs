//! Whether a unit's ports may change as its hook asked, which is known only at the commit: other
//! units of its machine open ports as well.

use super::{Changes, OpenPorts, PortRange, Protocol};
use crate::bounds::PORT_RANGES;

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
        before: &[PortRange],
        others: &OpenPorts<O>,
    ) -> Result<Vec<PortRange>, Refused<O>> {
        let mut after: OpenPorts = before.iter().copied().collect();
        for range in &self.close {
            after.remove(range);
        }
        for &range in &self.open {
            let taken = |open, owner| Refused::Taken { range, open, owner };
            if let Some((open, owner)) = others.meets(&range) {
                return Err(taken(open, Some(owner.clone())));
            }
            match after.meets(&range) {
                Some((open, ())) if open == range => continue,
                Some((open, ())) => return Err(taken(open, None)),
                None => after.insert(range, ()),
            }
            if PORT_RANGES.exceeded_by(after.len()) {
                return Err(Refused::TooMany { range });
            }
        }
        Ok(after.iter().collect())
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
