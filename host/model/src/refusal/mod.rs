//! What a caller is told when something is refused: the stable code, the HTTP status, and what to do
//! about it.
//!
//! It owns the table of all refusals of the API. A refusal that has no row cannot be written, and a
//! row has all three, so no code is without a status or without advice. Why this very request was
//! refused is a sentence of the place that refuses, and travels beside the refusal.
//!
//! It never decides anything, and errors that never leave a process have no row here.

use std::fmt;

use crate::Life;

pub mod code;
mod rules;
mod subject;
#[cfg(test)]
mod tests;

pub use rules::Refusal;
pub use subject::{Name, Subject};

impl Refusal {
    /// The refusal of something that is on its way out.
    pub fn leaving(subject: Subject, life: Life) -> Self {
        match life {
            Life::Dead => Refusal::Dead(subject),
            Life::Alive | Life::Dying => Refusal::Dying(subject),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
