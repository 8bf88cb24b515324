//! What can go wrong in the store, with the refusal that travels to the caller.

use std::time::Duration;

use periapt_database::{Error, Failure};
use periapt_model::config::ConfigError;
use periapt_model::constraints::ConstraintError;
use periapt_model::hook::commit;
use periapt_model::options::OptionError;
use periapt_model::reach::ExposureError;
use periapt_model::refusal::Subject;
use periapt_model::{Life, NameError, Refusal};

/// Every error of the store. `Display` is plain text for a person, [`refusal`](Self::refusal) is
/// what programs go by.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum StoreError {
    #[error("{kind} \"{name}\" not found")]
    NotFound { kind: Subject, name: String },
    #[error("{kind} \"{name}\" already exists")]
    AlreadyExists { kind: Subject, name: String },
    #[error("{kind} \"{name}\" is {life}")]
    NotAlive {
        kind: Subject,
        name: String,
        life: Life,
    },
    /// The request contradicts a rule of the model.
    #[error("{message}")]
    Refused { refusal: Refusal, message: String },
    #[error(
        "model \"{model}\" is not empty: {applications} applications, {units} units, {machines} machines, {storage} storages"
    )]
    NotEmpty {
        model: String,
        applications: u64,
        units: u64,
        machines: u64,
        storage: u64,
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
    #[error("the store does not answer; it is not known whether \"{lease}\" was granted")]
    LeaseTimedOut { lease: String },
    /// Process `node` of the controller was removed from it.
    #[error("process {node} was removed from its controller")]
    NodeRemoved { node: u32 },
    #[error(transparent)]
    Database(#[from] Error),
}

impl StoreError {
    /// What the caller is told of it beside the reason.
    pub fn refusal(&self) -> Refusal {
        match self {
            StoreError::NotFound { kind, .. } => Refusal::NotFound(*kind),
            StoreError::AlreadyExists { kind, .. } => Refusal::AlreadyExists(*kind),
            StoreError::NotAlive { kind, life, .. } => Refusal::leaving(*kind, *life),
            StoreError::Refused { refusal, .. } => *refusal,
            StoreError::NotEmpty { .. } => Refusal::ModelNotEmpty,
            StoreError::HasAssignedUnits { .. } => Refusal::MachineHasAssignedUnits,
            StoreError::NotProvisioned { .. } => Refusal::NotProvisioned,
            StoreError::HasSubordinates { .. } | StoreError::LeaseTimedOut { .. } => {
                Refusal::TryAgain
            }
            StoreError::LeaseDenied { .. } | StoreError::LeaseLost { .. } => Refusal::LeaseDenied,
            StoreError::NodeRemoved { .. } => Refusal::ControllerNodeRemoved,
            StoreError::Database(error) => of_database(error),
        }
    }

    pub(crate) fn not_found(kind: Subject, name: impl ToString) -> Self {
        StoreError::NotFound {
            kind,
            name: name.to_string(),
        }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        StoreError::Refused {
            refusal: Refusal::BadRequest,
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

fn of_database(error: &Error) -> Refusal {
    match error {
        Error::Stopped => Refusal::Stopped,
        Error::DiskFull => Refusal::DiskFull,
        Error::SchemaTooNew { .. } => Refusal::SchemaTooNew,
        Error::NoData { .. } => Refusal::DatabaseEmpty,
        Error::Locked => Refusal::DatabaseLocked,
        Error::Unavailable { .. } => Refusal::DatabaseUnavailable,
        Error::Undecided { .. } => Refusal::OutcomeUnknown,
        Error::Changed { .. } => Refusal::PreconditionFailed,
        Error::KeyTaken => Refusal::IdempotencyKeyTaken,
        Error::Failed { .. } | Error::Corrupt { .. } | Error::Internal { .. } => {
            Refusal::InternalError
        }
    }
}

impl From<NameError> for StoreError {
    fn from(error: NameError) -> Self {
        StoreError::bad_request(error.to_string())
    }
}

impl From<commit::Refused> for StoreError {
    fn from(commit::Refused { refusal, why }: commit::Refused) -> Self {
        StoreError::Refused {
            refusal,
            message: why,
        }
    }
}

impl From<ConfigError> for StoreError {
    fn from(error: ConfigError) -> Self {
        StoreError::Refused {
            refusal: error.refusal(),
            message: error.to_string(),
        }
    }
}

impl From<ConstraintError> for StoreError {
    fn from(error: ConstraintError) -> Self {
        StoreError::Refused {
            refusal: error.refusal(),
            message: error.to_string(),
        }
    }
}

impl From<ExposureError> for StoreError {
    fn from(error: ExposureError) -> Self {
        StoreError::Refused {
            refusal: error.refusal(),
            message: error.to_string(),
        }
    }
}

impl From<OptionError> for StoreError {
    fn from(error: OptionError) -> Self {
        StoreError::Refused {
            refusal: error.refusal(),
            message: error.to_string(),
        }
    }
}
