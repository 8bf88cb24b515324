//! What can go wrong in the store, with the code that travels to the caller.

use std::time::Duration;

use periapt_database::{Error, Failure};
use periapt_model::config::ConfigError;
use periapt_model::options::OptionError;
use periapt_model::reach::ExposureError;
use periapt_model::{Life, NameError};
use periapt_wire::rpc::code;

/// Every error of the store. `Display` is plain text for a person, [`code`](Self::code) is
/// stable for programs.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum StoreError {
    #[error("{kind} \"{name}\" not found")]
    NotFound { kind: &'static str, name: String },
    #[error("{kind} \"{name}\" already exists")]
    AlreadyExists { kind: &'static str, name: String },
    #[error("{kind} \"{name}\" is {life}")]
    NotAlive {
        kind: &'static str,
        name: String,
        life: Life,
    },
    /// The request contradicts a rule of the model; `code` names the rule.
    #[error("{message}")]
    Invalid { code: &'static str, message: String },
    #[error(
        "model \"{model}\" is not empty: {applications} applications, {units} units, {machines} machines"
    )]
    NotEmpty {
        model: String,
        applications: u64,
        units: u64,
        machines: u64,
    },
    #[error("machine {machine} has assigned units: {units}")]
    HasAssignedUnits { machine: String, units: String },
    #[error("machine {machine} is not provisioned")]
    NotProvisioned { machine: String },
    #[error("unit {unit} still has subordinates: {subordinates}")]
    HasSubordinates { unit: String, subordinates: String },
    /// Another holds the lease.
    #[error("lease \"{lease}\" is held by another")]
    LeaseDenied { lease: String },
    /// The caller acted as a holder and is none.
    #[error("\"{holder}\" does not hold the lease \"{lease}\"")]
    LeaseLost { lease: String, holder: String },
    /// The store did not answer a claim for all of its tries. The claim may have been granted.
    #[error("the store does not answer; whether \"{lease}\" was granted is not known")]
    LeaseTimedOut { lease: String },
    /// Process `node` of the controller was removed from it.
    #[error("process {node} was removed from its controller")]
    NodeRemoved { node: u32 },
    #[error(transparent)]
    Database(#[from] Error),
}

impl StoreError {
    /// The code on the wire, spelled as Juju spells it where Juju has one.
    pub fn code(&self) -> &'static str {
        match self {
            StoreError::NotFound { .. } => code::NOT_FOUND,
            StoreError::AlreadyExists { .. } => code::ALREADY_EXISTS,
            StoreError::NotAlive { .. } => code::DEAD,
            StoreError::Invalid { code, .. } => code,
            StoreError::NotEmpty { .. } => code::NOT_EMPTY,
            StoreError::HasAssignedUnits { .. } => code::HAS_ASSIGNED_UNITS,
            StoreError::NotProvisioned { .. } => code::NOT_PROVISIONED,
            StoreError::HasSubordinates { .. } => code::TRY_AGAIN,
            StoreError::LeaseDenied { .. } | StoreError::LeaseLost { .. } => code::LEASE_DENIED,
            StoreError::LeaseTimedOut { .. } => code::TRY_AGAIN,
            StoreError::NodeRemoved { .. } => "controller-node-removed",
            StoreError::Database(error) => match error {
                Error::Stopped => code::STOPPED,
                Error::DiskFull => "disk full",
                Error::SchemaTooNew { .. } => "schema too new",
                Error::NoData { .. } => "database empty",
                Error::Locked => "database locked",
                Error::Unavailable { .. } => "database unavailable",
                Error::Undecided { .. } => "outcome unknown",
                Error::Changed { .. } => "precondition-failed",
                Error::KeyTaken => "idempotency-key-taken",
                Error::Failed { .. } | Error::Corrupt { .. } | Error::Internal { .. } => {
                    code::INTERNAL
                }
            },
        }
    }

    /// The code of the HTTP API: lower case with dashes, naming the kind where there is one
    /// (`application-not-found`).
    pub fn kind_code(&self) -> String {
        match self {
            StoreError::NotFound { kind, .. } => format!("{}-not-found", dashed(kind)),
            StoreError::AlreadyExists { kind, .. } => format!("{}-already-exists", dashed(kind)),
            StoreError::NotAlive { kind, life, .. } => format!("{}-{life}", dashed(kind)),
            other => dashed(other.code()),
        }
    }

    pub(crate) fn not_found(kind: &'static str, name: impl ToString) -> Self {
        StoreError::NotFound {
            kind,
            name: name.to_string(),
        }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        StoreError::Invalid {
            code: code::BAD_REQUEST,
            message: message.into(),
        }
    }

    pub(crate) fn corrupt(what: &'static str, error: impl std::fmt::Display) -> Self {
        Error::corrupt(what, error).into()
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        let message = message.into();
        Error::Internal { message }.into()
    }

    /// Whether the same call may succeed a little later.
    pub(crate) fn may_pass(&self) -> bool {
        self.database().is_some_and(Error::may_pass)
    }

    /// After which time the same call is worth repeating, where repeating it is safe and waiting
    /// helps.
    pub fn retry_after(&self) -> Option<Duration> {
        self.database()?.retry_after()
    }
}

impl Failure for StoreError {
    fn database(&self) -> Option<&Error> {
        match self {
            StoreError::Database(error) => Some(error),
            _ => None,
        }
    }
}

fn dashed(text: &str) -> String {
    text.replace(' ', "-")
}

impl From<NameError> for StoreError {
    fn from(error: NameError) -> Self {
        StoreError::bad_request(error.to_string())
    }
}

impl From<ConfigError> for StoreError {
    fn from(error: ConfigError) -> Self {
        StoreError::Invalid {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<ExposureError> for StoreError {
    fn from(error: ExposureError) -> Self {
        StoreError::Invalid {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<OptionError> for StoreError {
    fn from(error: OptionError) -> Self {
        StoreError::Invalid {
            code: error.code(),
            message: error.to_string(),
        }
    }
}
