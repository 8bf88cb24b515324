//! What can go wrong in the store, with the code that travels to the caller.

use std::time::Duration;

use periapt_model::config::ConfigError;
use periapt_model::options::OptionError;
use periapt_model::{Life, NameError};
use periapt_wire::rpc::code;
use thiserror::Error;

/// Every error of the store. `Display` is plain text for a person, [`code`](Self::code) is
/// stable for programs.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
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
    #[error("the store has stopped")]
    Stopped,
    #[error(
        "the disk under the database is full; nothing was written, free some space and try again"
    )]
    DiskFull,
    #[error(
        "the database has schema version {found}, this program knows versions up to {supported}; use the newer program"
    )]
    SchemaTooNew { found: i64, supported: i64 },
    /// The database is not there or is empty, and was to hold a store.
    #[error("{place} holds no data")]
    NoData { place: String },
    #[error("the database is locked by another process")]
    Locked,
    /// The database cannot be reached, or ended the transaction; nothing was written and the same
    /// call may succeed a little later.
    #[error("the database is not available now: {message}")]
    Unavailable { message: String },
    /// The database was lost while it committed, and did not come back to be asked.
    #[error(
        "the database was lost while it committed ({message}); whether the change was made is not known"
    )]
    Undecided { message: String },
    #[error("the database failed: {message}")]
    Database { message: String },
    /// A stored value that no version of this program writes.
    #[error("the database holds an unreadable {what}: {message}")]
    Corrupt { what: &'static str, message: String },
    #[error("internal error: {message}")]
    Internal { message: String },
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
            StoreError::Stopped => code::STOPPED,
            StoreError::DiskFull => "disk full",
            StoreError::SchemaTooNew { .. } => "schema too new",
            StoreError::NoData { .. } => "database empty",
            StoreError::Locked => "database locked",
            StoreError::Unavailable { .. } => "database unavailable",
            StoreError::Undecided { .. } => "outcome unknown",
            StoreError::Database { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Internal { .. } => code::INTERNAL,
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
        StoreError::Corrupt {
            what,
            message: error.to_string(),
        }
    }

    /// Whether the same call may succeed a little later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self,
            StoreError::Locked
                | StoreError::Unavailable { .. }
                | StoreError::Undecided { .. }
                | StoreError::Database { .. }
        )
    }

    /// After which time the same call is worth repeating, where repeating it is safe and waiting
    /// helps.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            StoreError::Locked | StoreError::Stopped | StoreError::Unavailable { .. } => {
                Some(Duration::from_secs(2))
            }
            _ => None,
        }
    }

    pub(crate) fn unavailable(message: impl Into<String>) -> Self {
        StoreError::Unavailable {
            message: message.into(),
        }
    }

    /// Whether the connection or the whole transaction is lost, so that everything that shares
    /// the transaction must fail with it.
    pub(crate) fn spoils_transaction(&self) -> bool {
        matches!(
            self,
            StoreError::DiskFull
                | StoreError::Locked
                | StoreError::Unavailable { .. }
                | StoreError::Undecided { .. }
                | StoreError::Database { .. }
        )
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

impl From<OptionError> for StoreError {
    fn from(error: OptionError) -> Self {
        StoreError::Invalid {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ffi;
        let code = match &error {
            rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code,
            rusqlite::Error::FromSqlConversionFailure(index, _, source) => {
                return StoreError::corrupt("column", format!("{index}: {source}"));
            }
            _ => 0,
        };
        match code {
            // The second: no room for the index of SQLite's log.
            ffi::SQLITE_FULL | ffi::SQLITE_IOERR_SHMSIZE => StoreError::DiskFull,
            ffi::SQLITE_BUSY
            | ffi::SQLITE_LOCKED
            | ffi::SQLITE_BUSY_RECOVERY
            | ffi::SQLITE_BUSY_SNAPSHOT => StoreError::Locked,
            _ => StoreError::Database {
                message: error.to_string(),
            },
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if let Some(refused) = error.as_database_error() {
            let code = refused.code().unwrap_or_default();
            let message = refused.message().to_owned();
            return match code.as_ref() {
                "53100" => StoreError::DiskFull,
                code if passes(code) => StoreError::Unavailable { message },
                _ => StoreError::Database { message },
            };
        }
        match error {
            sqlx::Error::PoolClosed => StoreError::Stopped,
            sqlx::Error::ColumnDecode { index, source } => StoreError::Corrupt {
                what: "column",
                message: format!("{index}: {source}"),
            },
            sqlx::Error::Io(error) => StoreError::unavailable(error.to_string()),
            sqlx::Error::Tls(error) => StoreError::unavailable(error.to_string()),
            sqlx::Error::Protocol(message) => StoreError::Unavailable { message },
            sqlx::Error::PoolTimedOut => StoreError::unavailable("no connection in time"),
            other => StoreError::Database {
                message: other.to_string(),
            },
        }
    }
}

/// Whether PostgreSQL gives this code for what passes by itself: the server starts, stops or
/// fails over, it has no room for another connection, or it ended a transaction that was in the
/// way of others.
fn passes(code: &str) -> bool {
    code.starts_with("08")
        || code.starts_with("40")
        || code.starts_with("57")
        || ["25006", "25P03", "53200", "53300", "55P03"].contains(&code)
}
