//! Errors of the HTTP API: `application/problem+json` with a stable code and what to do.

use periapt_model::Refusal;
use serde::{Deserialize, Serialize};

/// One error as a person or a program reads it.
#[derive(
    Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema, thiserror::Error,
)]
#[error("{title}: {detail}")]
pub struct Problem {
    /// What kind of problem it is, as RFC 9457 wants it: `urn:periapt:problem:` and the code.
    #[serde(rename = "type", default)]
    #[schema(required = true)]
    pub kind: String,
    /// HTTP status.
    pub status: u16,
    /// Stable, lower case with dashes: `application-not-found`.
    pub code: String,
    /// What went wrong, one line.
    pub title: String,
    /// Why.
    #[serde(default)]
    pub detail: String,
    /// What to do about it.
    #[serde(default)]
    pub advice: String,
    /// Seconds until it is worth asking again, as in the header `Retry-After`.
    #[serde(
        default,
        rename = "retry-after",
        skip_serializing_if = "Option::is_none"
    )]
    pub retry_after: Option<u64>,
}

impl Problem {
    /// A refusal, with its advice and the title that its status has.
    pub fn new(refusal: Refusal) -> Self {
        Self {
            kind: kind(refusal.code()),
            status: refusal.status(),
            code: refusal.code().to_owned(),
            title: title(refusal.status()).to_owned(),
            detail: String::new(),
            advice: refusal.advice().to_owned(),
            retry_after: None,
        }
    }

    /// Where more can be said of what went wrong than the status says.
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    pub fn why(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Where more can be said than what holds for all causes.
    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}

/// The type of a problem with this code.
pub fn kind(code: &str) -> String {
    format!("urn:periapt:problem:{code}")
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "The request is not valid",
        401 => "Not logged in",
        403 => "Permission denied",
        404 => "Not found",
        408 => "It did not come in time",
        409 => "Not possible now",
        412 => "It has changed meanwhile",
        429 => "Too many requests",
        503 => "Not available now",
        507 => "No room left",
        _ => "The controller failed",
    }
}
