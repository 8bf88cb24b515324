//! Which capability is wide enough for which: what has the wider one needs no grant of the narrower.

use super::Capability;

impl Capability {
    /// Whether everything that `other` allows is allowed by this one as well.
    #[must_use]
    pub fn covers(&self, other: &Capability) -> bool {
        use Capability::{Egress, Memory, Port, Shared, Storage, Time};
        match (self, other) {
            (
                Shared {
                    directory: own,
                    access: wide,
                },
                Shared {
                    directory: name,
                    access: narrow,
                },
            )
            | (
                Storage {
                    name: own,
                    access: wide,
                },
                Storage {
                    name,
                    access: narrow,
                },
            ) => own == name && wide >= narrow,
            (Port(wide), Port(narrow)) => {
                wide.protocol == narrow.protocol
                    && wide.start <= narrow.start
                    && narrow.end <= wide.end
            }
            (Egress(wide), Egress(narrow)) => wide.covers(narrow),
            (Memory { mebibytes: wide }, Memory { mebibytes: narrow }) => wide >= narrow,
            (
                Time { milliseconds: wide },
                Time {
                    milliseconds: narrow,
                },
            ) => wide >= narrow,
            (own, other) => own == other,
        }
    }
}
