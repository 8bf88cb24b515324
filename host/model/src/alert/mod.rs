//! Alerts: when a rule fires and resolves, when people are told, and what a message says.
//!
//! A rule looks at one condition, in one model or in all. What is observed is handed in as values with the time; what
//! follows is a list of moves ([`decide`]) that the store writes down, so that a restart neither repeats nor forgets.
//! An alert fires once and resolves once: it resolves only after its condition has been gone for [`QUIET`], so that a
//! unit that fails again and again is one alert. Alerts of a rule that fire together are one message ([`message_due`]).

mod decide;
mod message;
mod receiver;
mod rule;
#[cfg(test)]
mod tests;

pub use decide::{Decision, Known, Move, Observed, Phase, QUIET, Step, decide, p99};
pub use message::{
    GATHER, Item, Message, SPACING, State, TRIES, message_due, retry_after, subject_line,
};
pub use receiver::{
    Encryption, Mail, Receiver, ReceiverError, ReceiverKind, Webhook, is_secret, origin,
};
pub use rule::{Condition, P99_RUNS, P99_WINDOW, Rule, RuleError};

/// A second, in the microseconds that all times here are in.
pub const SECOND: i64 = 1_000_000;
