//! What takes effect at once: statuses and workload versions, as many as a hook may set, with texts
//! as they are kept.

use crate::bounds::{STATUS_CHANGES, TEXT_BYTES};
use crate::{CallError, HookTxn, text};

/// How many of them a hook has made.
#[derive(Debug, Default)]
pub(crate) struct AtOnce {
    made: usize,
}

impl HookTxn {
    /// Counts one more change at once, or refuses it.
    pub fn at_once(&mut self) -> Result<(), CallError> {
        if STATUS_CHANGES.exceeded_by(self.at_once.made + 1) {
            return Err(CallError::limit(format!(
                "one hook may set statuses and versions {} times, and this one has",
                STATUS_CHANGES.most
            )));
        }
        self.at_once.made += 1;
        Ok(())
    }
}

/// A status message or a workload version as it is kept: clean, and cut where it is too long.
pub fn message(text: &str) -> String {
    text::clean_line_at_most(text, TEXT_BYTES.length())
}

/// The answer to a status that is the agent's to say and no charm's.
pub fn not_settable() -> CallError {
    CallError::invalid("a charm can set one of: maintenance, blocked, waiting, active")
}
