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

pub use webhook::{DELIVERY, SIGNATURE, TIMESTAMP, signature};

/// For one message, whatever the receiver does.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// Where a machine has the authorities that it trusts.
const SYSTEM_CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

/// Why a message was not taken, for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SendError(pub String);

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

/// The authorities by which a receiver proves who it is, PEM: its own, or the machine's.
fn authorities(given: &str) -> Vec<u8> {
    if !given.is_empty() {
        return given.as_bytes().to_vec();
    }
    let found = SYSTEM_CERTIFICATES
        .iter()
        .find_map(|path| std::fs::read(path).ok());
    found.unwrap_or_default()
}

fn no_certificate() -> SendError {
    SendError("ca-cert holds no certificate".to_owned())
}
