//! Large bodies on their way in: staged while they come, within the sender's share, and held against the
//! digests that the request claims.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures::StreamExt;
use periapt_model::{Digest, Refusal};
use periapt_store::Staging;
use periapt_wire::Problem;

use super::problem::{Answer, busy, too_slow};
use crate::listener::BodyError;
use crate::shares::Share;

/// What is uploaded, for whoever is told that it was refused.
pub(super) struct Incoming {
    pub what: &'static str,
    /// The title of a refusal.
    pub refused: &'static str,
    /// Bytes.
    pub most: u64,
    pub too_large: Refusal,
    pub mismatch: Refusal,
}

/// The SHA-256 that the request claims, in each of the ways there are.
pub(super) fn digests(query: Option<&str>, headers: &HeaderMap) -> Result<Vec<Digest>, Answer> {
    let invalid = |why: String| {
        Answer(
            Problem::new(Refusal::DigestInvalid)
                .titled("The digest cannot be read")
                .why(why),
        )
    };
    let mut found = Vec::new();
    if let Some(text) = query {
        let digest = text.parse();
        found.push(digest.map_err(|_| invalid(format!("\"{text}\" is not a SHA-256")))?);
    }
    for name in ["content-digest", "digest"] {
        for value in headers.get_all(name) {
            let text = value.to_str().unwrap_or_default();
            for part in text.split(',').map(str::trim) {
                // Other algorithms are for others.
                let Some((algorithm, digest)) = part.split_once('=') else {
                    return Err(invalid(format!("\"{part}\" in {name} has no algorithm")));
                };
                if !algorithm.eq_ignore_ascii_case("sha-256") {
                    continue;
                }
                let bytes = BASE64_STANDARD.decode(digest.trim_matches(':'));
                let bytes = bytes
                    .ok()
                    .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
                let bytes =
                    bytes.ok_or_else(|| invalid(format!("\"{digest}\" is not a SHA-256")))?;
                found.push(bytes.into());
            }
        }
    }
    Ok(found)
}

/// Refuses what does not have all digests that were claimed.
pub(super) fn held_against(
    staged: &Staging,
    claimed: &[Digest],
    incoming: &Incoming,
) -> Result<(), Answer> {
    let found = staged.digest();
    match claimed.iter().find(|digest| **digest != found) {
        None => Ok(()),
        Some(wanted) => Err(Answer(
            Problem::new(incoming.mismatch)
                .titled(incoming.refused)
                .why(format!(
                    "its SHA-256 is {found}, but the request says {wanted}"
                )),
        )),
    }
}

/// The body with the share that it takes of what is coming in, or the exact reason why not. A
/// claimed length is believed only when it refuses.
pub(super) async fn collect(
    mut staged: Staging,
    mut share: Share,
    headers: &HeaderMap,
    body: Body,
    incoming: &Incoming,
) -> Result<(Staging, Share), Answer> {
    let most = incoming.most;
    let too_large = || {
        Answer(
            Problem::new(incoming.too_large)
                .titled(incoming.refused)
                .why(format!("{} is larger than {most} bytes", incoming.what)),
        )
    };
    let claimed = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if claimed.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| {
            if BodyError::is_slow(&error) {
                return too_slow();
            }
            Answer(
                Problem::new(Refusal::UploadInterrupted)
                    .titled("The upload broke off")
                    .why(error.to_string()),
            )
        })?;
        if staged.size() + chunk.len() as u64 > most {
            return Err(too_large());
        }
        share.take(chunk.len() as u64).map_err(busy)?;
        staged.push(&chunk).await?;
    }
    Ok((staged, share))
}
