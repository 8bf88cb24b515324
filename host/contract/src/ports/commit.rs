//! What a unit has open once its hook is committed.

use super::{Changes, OpeningError, Openings};

impl Changes {
    /// The unit's ports after the commit, when before it they were `before`. What other units have open
    /// is no matter: each has an address of its own.
    ///
    /// # Errors
    /// The unit has opened a part of a range, or it is one too many.
    pub fn applied(&self, before: &Openings) -> Result<Openings, OpeningError> {
        let mut after = before.clone();
        for range in &self.close {
            after.remove(range);
        }
        for opening in &self.open {
            after.set(opening.ports, opening.endpoints.clone())?;
        }
        Ok(after)
    }
}
