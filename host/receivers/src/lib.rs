//! Sends messages of alerts to receivers: by HTTP to a webhook, by SMTP as an e-mail.
//!
//! It sends one message once, within bounds of time and size, and says what the receiver answered. What is sent, when,
//! and how often it is tried again is decided elsewhere; it knows no store and keeps nothing. What it says of a failure
//! has nothing of a key or a password.

mod mail;
#[cfg(test)]
mod tests;
mod webhook;

use std::time::Duration;

use periapt_model::alert::{Message, Receiver};
use periapt_outbound::Failure;

pub use webhook::{DELIVERY, SIGNATURE, TIMESTAMP, signature};

/// For one message, whatever the receiver does.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// Why a message was not taken, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SendError(pub String);

impl From<Failure> for SendError {
    fn from(failure: Failure) -> Self {
        Self(failure.to_string())
    }
}

/// One message on its way.
#[derive(Clone, Debug)]
pub struct Outgoing<'a> {
    /// The same for each try, so that a receiver can tell a repetition.
    pub id: String,
    /// Seconds since the epoch.
    pub now: i64,
    pub message: &'a Message,
}

/// Sends a message; what the receiver answered.
///
/// # Errors
/// The receiver cannot be reached, does not prove who it is, does not answer in time, or does not take the message.
pub async fn send(receiver: &Receiver, outgoing: &Outgoing<'_>) -> Result<String, SendError> {
    match receiver {
        Receiver::Webhook(webhook) => webhook::send(webhook, outgoing).await,
        Receiver::Email(mail) => mail::send(mail, outgoing).await,
    }
}
