//! A webhook: an HTTP POST of JSON, signed.
//!
//! The signature is the HMAC-SHA256 of `TIMESTAMP.BODY` under the receiver's key, in hexadecimal. The time is part of
//! it, so that whoever has seen a message cannot send it again later. No redirect is followed: the message goes to the
//! address that was configured or nowhere.

use periapt_model::alert::Webhook;
use periapt_outbound::{Client, Method};
use ring::hmac;

use crate::{Outgoing, PATIENCE, SendError};

/// The header with the signature, `sha256=HEX`.
pub const SIGNATURE: &str = "x-periapt-signature";
/// The header with the seconds since the epoch that are signed.
pub const TIMESTAMP: &str = "x-periapt-timestamp";
/// The header with the id of the delivery.
pub const DELIVERY: &str = "x-periapt-delivery";

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
    let (url, authority) = (&webhook.url, webhook.ca_cert.as_deref());
    let http = Client::new("the receiver", url, authority, PATIENCE)?;
    let request = http
        .request(Method::POST, url)
        .header("content-type", "application/json")
        .header("user-agent", "periapt")
        .header(DELIVERY, &outgoing.id)
        .header(TIMESTAMP, outgoing.now.to_string())
        .header(SIGNATURE, signature(&webhook.key, outgoing.now, &body))
        .body(body);
    let answer = http.send(request).await?;
    match answer.status().is_success() {
        true => Ok(answer.status().as_u16().to_string()),
        // Many servers repeat the path of a request that they refuse.
        false => Err(SendError(
            webhook.hide(&http.refusal(answer).await.to_string()),
        )),
    }
}
