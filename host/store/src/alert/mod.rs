//! Alerts: rules, receivers, what fires, and the messages that are to be sent.
//!
//! `periapt_model::alert` decides what follows from what is observed. This module reads what there is to observe
//! (`facts`) and writes down what was decided (`evaluate`), in one transaction with the messages that tell of it
//! (`telling`), so that a crash neither loses a message nor makes it twice. A message waits as a delivery for each
//! receiver (`deliveries`) until it is sent, has been tried often enough, or is given up with its rule, its receiver or
//! the database that it was restored with (`ending`). The secret part of a receiver arrives sealed (`receivers`).

use periapt_model::Refusal;
use periapt_model::refusal::Subject;

use crate::Result;
use crate::error::StoreError;
use crate::tables::{Table, tables};

mod deliveries;
mod ending;
mod evaluate;
mod facts;
mod reading;
mod receivers;
mod rules;
mod telling;
#[cfg(test)]
mod tests;

pub use deliveries::DueDelivery;
pub(crate) use ending::{begin_anew, model_gone};
pub(crate) use reading::by_ids;
pub use receivers::StoredReceiver;

pub(crate) const TABLES: &[Table] = tables! {
    "alert_rule";
};

/// Alerts that have resolved, and deliveries that have ended, that are remembered.
const REMEMBERED: u64 = 5_000;

/// Phases of alerts, and states of deliveries, as they are written down.
const PENDING: &str = "pending";
const FIRING: &str = "firing";
const RESOLVED: &str = "resolved";
const WAITING: &str = "waiting";
const SENT: &str = "sent";
const FAILED: &str = "failed";

fn refused(refusal: Refusal, message: impl Into<String>) -> StoreError {
    StoreError::Refused {
        refusal,
        message: message.into(),
    }
}

/// Names of rules and receivers.
fn require_name(kind: Subject, refusal: Refusal, name: &str) -> Result<()> {
    let begins = |c: char| c.is_ascii_lowercase();
    let has = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.starts_with(begins) && name.chars().all(has) && name.len() <= 100 && name != "test" {
        return Ok(());
    }
    let shown: String = name.chars().take(80).collect();
    Err(refused(
        refusal,
        format!(
            "\"{shown}\" cannot be the name of an {kind}: use lower-case letters, digits and dashes, begin with a letter, and leave \"test\" to the controller"
        ),
    ))
}
