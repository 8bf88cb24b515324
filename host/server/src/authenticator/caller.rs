//! The other end of a connection, as far as it is known before anybody has proved who they are.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use periapt_store::Origin;

use crate::listener::Connection;

/// Where a request comes from, and what its program calls itself.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// None within tests that have no listener.
    pub peer: Option<IpAddr>,
    program: Option<HeaderValue>,
}

impl Caller {
    pub(crate) fn new(connection: Option<&Connection>, headers: &HeaderMap) -> Self {
        Self {
            peer: connection.map(|connection| connection.peer.ip()),
            program: headers.get(header::USER_AGENT).cloned(),
        }
    }

    /// The same as the list of a user's tokens shows it.
    pub(super) fn origin(&self) -> Origin {
        let program = self.program.as_ref().map(HeaderValue::as_bytes);
        Origin::new(self.peer, program.unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::new(parts.extensions.get(), &parts.headers))
    }
}
