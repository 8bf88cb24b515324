//! A token that has run out, replaced by a login in the middle of a request.
//!
//! Asking first whether a token is good would cost every command a round trip; here the refusal of
//! the request itself says that it is not.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use super::{RestClient, RestError};

/// Told of each new token.
pub type Keep = Box<dyn Fn(&str) + Send + Sync>;

/// How a new token is got.
pub(super) struct Renewal {
    user: String,
    password: String,
    token: Mutex<String>,
    keep: Keep,
    /// One login at a time, so that many refused requests make one token.
    turn: tokio::sync::Mutex<()>,
}

impl fmt::Debug for Renewal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Renewal")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl Renewal {
    pub(super) fn new(user: String, password: String, token: String, keep: Keep) -> Self {
        Self {
            user,
            password,
            token: Mutex::new(token),
            keep,
            turn: tokio::sync::Mutex::new(()),
        }
    }

    pub(super) fn token(&self) -> String {
        let token = self.token.lock().unwrap_or_else(PoisonError::into_inner);
        token.clone()
    }

    /// Logs in as `anonymous`, unless somebody has since `refused` was sent.
    pub(super) async fn renew(
        &self,
        anonymous: RestClient,
        refused: &str,
    ) -> Result<(), RestError> {
        let _turn = self.turn.lock().await;
        if self.token() != refused {
            return Ok(());
        }
        let (_, reply) = anonymous.login(&self.user, &self.password).await?;
        (self.keep)(&reply.token);
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = reply.token;
        Ok(())
    }
}
