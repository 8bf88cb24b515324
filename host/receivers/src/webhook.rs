//! A webhook: an HTTP POST of JSON, signed.
//!
//! The signature is the HMAC-SHA256 of `TIMESTAMP.BODY` under the receiver's key, in hexadecimal. The time is part of
//! it, so that whoever has seen a message cannot send it again later. No redirect is followed: the message goes to the
//! address that was configured or nowhere.

use periapt_model::alert::Webhook;
use reqwest::{Certificate, redirect};
use ring::hmac;

use crate::{Outgoing, PATIENCE, SendError, authorities, no_certificate};

/// The header with the signature, `sha256=HEX`.
pub const SIGNATURE: &str = "x-periapt-signature";
/// The header with the seconds since the epoch that are signed.
pub const TIMESTAMP: &str = "x-periapt-timestamp";
/// The header with the id of the delivery.
pub const DELIVERY: &str = "x-periapt-delivery";

/// Bytes of an answer that are read.
const ANSWER_BYTES: usize = 4 << 10;

/// What [`SIGNATURE`] has for a body.
#[must_use]
pub fn signature(key: &str, timestamp: i64, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.as_bytes());
    let mut context = hmac::Context::with_key(&key);
    context.update(timestamp.to_string().as_bytes());
    context.update(b".");
    context.update(body);
    let mut text = "sha256=".to_owned();
    for byte in context.sign().as_ref() {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

pub(crate) async fn send(webhook: &Webhook, outgoing: &Outgoing<'_>) -> Result<String, SendError> {
    let body = serde_json::to_vec(outgoing.message)
        .map_err(|_| SendError("the message cannot be written".to_owned()))?;
    let mut builder = reqwest::Client::builder()
        .timeout(PATIENCE)
        .redirect(redirect::Policy::none())
        .no_proxy();
    if webhook.url.starts_with("https://") {
        let pem = authorities(&webhook.ca_cert);
        let certificates = Certificate::from_pem_bundle(&pem).map_err(|_| no_certificate())?;
        if certificates.is_empty() {
            return Err(no_certificate());
        }
        for certificate in certificates {
            builder = builder.add_root_certificate(certificate);
        }
    }
    let http = builder
        .build()
        .map_err(|error| SendError(format!("no connection can be made: {error}")))?;
    let request = http
        .post(&webhook.url)
        .header("content-type", "application/json")
        .header("user-agent", "periapt")
        .header(DELIVERY, &outgoing.id)
        .header(TIMESTAMP, outgoing.now.to_string())
        .header(SIGNATURE, signature(&webhook.key, outgoing.now, &body))
        .body(body);
    let mut response = request
        .send()
        .await
        .map_err(|error| SendError(unreachable(&error)))?;
    let status = response.status();
    if status.is_success() {
        return Ok(status.as_u16().to_string());
    }
    let mut said = Vec::new();
    // Why it was refused is worth a few words; that they do not come is not.
    while said.len() < ANSWER_BYTES {
        match response.chunk().await {
            Ok(Some(part)) => said.extend_from_slice(&part),
            Ok(None) | Err(_) => break,
        }
    }
    // Many servers repeat the path of a request that they refuse.
    let said = webhook.hide(&String::from_utf8_lossy(&said));
    let said: String = said
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .take(200)
        .collect();
    Err(SendError(match said.trim().is_empty() {
        true => format!("the receiver answers {}", status.as_u16()),
        false => format!("the receiver answers {}: {}", status.as_u16(), said.trim()),
    }))
}

/// What went wrong on the way, without the address, which may have a secret in it.
fn unreachable(error: &reqwest::Error) -> String {
    let what = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "the receiver does not answer in time",
        (_, true) => "the receiver cannot be reached, or does not prove who it is",
        _ => "the connection to the receiver broke",
    };
    what.to_owned()
}
