//! Refusals. A refused call is an answer: the charm sees the code and the message and goes on.

use std::error::Error;
use std::fmt;

/// Why the host refuses a call; the charm sees the code and the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallError {
    pub code: CallErrorCode,
    pub message: String,
}

/// The codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallErrorCode {
    /// An argument is malformed.
    Invalid,
    /// The thing asked for does not exist.
    NotFound,
    /// The charm may not do this here.
    Denied,
    /// A limit was reached.
    Limit,
    /// The controller cannot be reached or could not answer.
    Unavailable,
}

impl CallErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            CallErrorCode::Invalid => "invalid",
            CallErrorCode::NotFound => "not-found",
            CallErrorCode::Denied => "denied",
            CallErrorCode::Limit => "limit",
            CallErrorCode::Unavailable => "unavailable",
        }
    }
}

impl CallError {
    pub fn new(code: CallErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Invalid, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::NotFound, message)
    }

    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Denied, message)
    }

    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Limit, message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Unavailable, message)
    }

    /// The answer for a tool that an agent does not provide, and for every tool where no hook runs.
    pub fn unanswered() -> Self {
        Self::denied("the host answers only while a hook runs")
    }

    /// The answer of every tool but a few in a hook that runs beside those of the unit.
    pub fn restricted(hook: &str) -> Self {
        Self::denied(format!(
            "not allowed in this context: {hook} runs beside other hooks; do it in one of those"
        ))
    }

    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for CallError {}
