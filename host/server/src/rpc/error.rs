//! A refused call.

use std::borrow::Cow;

use periapt_model::NameError;
use periapt_store::{DatabaseError, StoreError};
use periapt_wire::CallError;
use periapt_wire::rpc::code;
use thiserror::Error;

use crate::access::Refusal;
use crate::authenticator::AuthError;
use crate::error::told;
use crate::listener::Crowded;
use crate::upgrade::UpgradeProgress;

/// What the caller gets: one of `wire::rpc::code` or a precise code of the store, and a text.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct RpcError {
    pub code: Cow<'static, str>,
    pub message: String,
}

impl RpcError {
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
        }
    }

    /// Known, but not for this caller. The text is Juju's; clients compare it.
    pub fn denied() -> Self {
        Self::new(code::UNAUTHORIZED, "permission denied")
    }

    pub fn bad_request(message: impl std::fmt::Display) -> Self {
        Self::new(code::BAD_REQUEST, message.to_string())
    }

    pub fn stopped(message: &str) -> Self {
        Self::new(code::STOPPED, message)
    }

    /// A session for which there is no place.
    pub(crate) fn crowded(why: Crowded) -> Self {
        Self::new(code::TRY_AGAIN, why.to_string())
    }

    /// Not before the controller's new version has set itself up.
    pub(crate) fn upgrading(progress: &UpgradeProgress) -> Self {
        Self::new(code::UPGRADE_IN_PROGRESS, progress.to_string())
    }

    /// From the lease manager, which may stop and come back while the API serves: its callers
    /// are to ask again.
    pub fn of_lease(error: StoreError) -> Self {
        match error {
            StoreError::Database(DatabaseError::Stopped) => Self::new(
                code::TRY_AGAIN,
                "the lease manager is restarting; try again",
            ),
            other => other.into(),
        }
    }

    pub fn not_implemented(facade: &str, version: u32, method: &str) -> Self {
        Self::new(
            code::NOT_IMPLEMENTED,
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
        if error.code() == code::INTERNAL {
            tracing::error!(%error, "the store failed a call");
        }
        Self::new(error.code(), told(&error))
    }
}

impl From<Refusal> for RpcError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Store(error) => error.into(),
            Refusal::Account | Refusal::Model(_) | Refusal::Forbidden => Self::denied(),
        }
    }
}

impl From<AuthError> for RpcError {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Store(error) => error.into(),
            AuthError::Throttled(_) => Self::new(code::TRY_AGAIN, error.to_string()),
            other => Self::new(code::UNAUTHORIZED, other.to_string()),
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
            code: error.code.into_owned(),
            message: error.message,
        }
    }
}
