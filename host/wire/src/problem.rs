//! Errors of the HTTP API: `application/problem+json` with a stable code and what to do.

use serde::{Deserialize, Serialize};

/// One error as a person or a program reads it.
#[derive(
    Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema, thiserror::Error,
)]
#[error("{title}: {detail}")]
pub struct Problem {
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
    pub fn new(status: u16, code: &str, title: impl Into<String>) -> Self {
        Self {
            status,
            code: code.to_owned(),
            title: title.into(),
            detail: String::new(),
            advice: String::new(),
            retry_after: None,
        }
    }

    pub fn why(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    pub fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = advice.into();
        self
    }
}
