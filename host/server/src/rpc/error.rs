//! A refused call.

use periapt_model::{NameError, Refusal};
use periapt_store::{DatabaseError, StoreError};
use periapt_wire::CallError;
use thiserror::Error;

use crate::access::Denial;
use crate::authenticator::AuthError;
use crate::error::told;
use crate::listener::Crowded;
use crate::upgrade::UpgradeProgress;

/// What the caller gets: the refusal with its code, and a text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct RpcError {
    pub refusal: Refusal,
    pub message: String,
}

impl RpcError {
    pub fn new(refusal: Refusal, message: impl Into<String>) -> Self {
        Self {
            refusal,
            message: message.into(),
        }
    }

    /// Its code on the wire.
    pub fn code(&self) -> &'static str {
        self.refusal.call_code()
    }

    /// Known, but not for this caller. The text is Juju's; clients compare it.
    pub fn denied() -> Self {
        Self::new(Refusal::Unauthorized, "permission denied")
    }

    pub fn bad_request(message: impl std::fmt::Display) -> Self {
        Self::new(Refusal::BadRequest, message.to_string())
    }

    pub fn stopped(message: &str) -> Self {
        Self::new(Refusal::Stopped, message)
    }

    /// A session for which there is no place.
    pub(crate) fn crowded(why: Crowded) -> Self {
        Self::new(Refusal::TryAgain, why.to_string())
    }

    /// Not before the controller's new version has set itself up.
    pub(crate) fn upgrading(progress: &UpgradeProgress) -> Self {
        Self::new(Refusal::UpgradeInProgress, progress.to_string())
    }

    /// From the lease manager, which may stop and come back while the API serves: its callers
    /// are to ask again.
    pub fn of_lease(error: StoreError) -> Self {
        match error {
            StoreError::Database(DatabaseError::Stopped) => Self::new(
                Refusal::TryAgain,
                "the lease manager is restarting; try again",
            ),
            other => other.into(),
        }
    }

    pub fn not_implemented(facade: &str, version: u32, method: &str) -> Self {
        Self::new(
            Refusal::NotImplemented,
            format!("no such request - method {facade}({version}).{method} is not implemented"),
        )
    }
}

impl From<DatabaseError> for RpcError {
    fn from(error: DatabaseError) -> Self {
        StoreError::from(error).into()
    }
}

impl From<StoreError> for RpcError {
    fn from(error: StoreError) -> Self {
        if error.refusal() == Refusal::InternalError {
            tracing::error!(%error, "the store failed a call");
        }
        Self::new(error.refusal(), told(&error))
    }
}

impl From<Denial> for RpcError {
    fn from(refusal: Denial) -> Self {
        match refusal {
            Denial::Store(error) => error.into(),
            Denial::Account | Denial::Model(_) | Denial::Forbidden => Self::denied(),
        }
    }
}

impl From<AuthError> for RpcError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Store(error) => error.into(),
            AuthError::Throttled(_) => Self::new(Refusal::TryAgain, error.to_string()),
            other => Self::new(Refusal::Unauthorized, other.to_string()),
        }
    }
}

impl From<NameError> for RpcError {
    fn from(error: NameError) -> Self {
        Self::bad_request(error)
    }
}

impl From<RpcError> for CallError {
    fn from(error: RpcError) -> Self {
        CallError::Refused {
            code: error.code().to_owned(),
            message: error.message,
        }
    }
}
