//! `state-get`, `state-set`, `state-delete`: a unit's own keys, kept by the controller.

use std::collections::BTreeMap;

use crate::effects::{Effect, changes};
use crate::{CallError, settings};

#[cfg(test)]
mod tests;
mod txn;

pub(crate) use txn::State;

/// What an agent answers for `state`.
pub trait StateAnswers {
    /// The unit's state as of the last commit. Asked at most once in a hook, on first use.
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Err(CallError::unanswered())
    }
}

changes! {
    /// What a commit changes of a unit's state: a value sets the key, none deletes it.
    Changes: String => Option<String>
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.is_empty()
    }

    fn words(&self) -> Vec<String> {
        settings::words("state", self)
    }
}
