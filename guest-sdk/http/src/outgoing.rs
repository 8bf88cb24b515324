//! Requests that a workload makes itself.

use std::fmt;

use crate::{Request, Response};

/// A request that got no answer. The text says why: most often that its authority was not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendError {
    text: String,
    unreached: bool,
}

impl SendError {
    /// Nobody got the request.
    pub fn unreached(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            unreached: true,
        }
    }

    /// Somebody may have got it.
    pub fn lost(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            unreached: false,
        }
    }

    /// Nobody got the request, so nobody did what it asks for: it can be sent elsewhere whatever it is.
    pub fn is_unreached(&self) -> bool {
        self.unreached
    }
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for SendError {}

/// Sends a request to where [`Request::to`] said, and waits for the head of the answer.
///
/// Only units of related applications can be reached, over HTTP: a request to another authority is denied. The
/// header `host` is made of the authority and cannot be set. Outside of a component nothing can be reached at all.
pub fn send(request: Request) -> Result<Response, SendError> {
    #[cfg(target_family = "wasm")]
    return crate::guest::send(request);
    #[cfg(not(target_family = "wasm"))]
    Err(SendError::unreached(format!(
        "{} cannot be reached: this is no component",
        request.authority
    )))
}
