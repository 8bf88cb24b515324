//! What can go wrong in a database, whatever is kept in it.

use std::time::Duration;

use thiserror::Error;

/// `Display` is plain text for a person.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Error {
    #[error("the store has stopped")]
    Stopped,
    #[error(
        "the disk under the database is full; nothing was written, free some space and try again"
    )]
    DiskFull,
    #[error(
        "the database has schema version {found}, but this program supports versions up to {supported}; use the newer program"
    )]
    SchemaTooNew { found: i64, supported: i64 },
    /// The database is not there or is empty, and was to hold a store.
    #[error("{place} has no data")]
    NoData { place: String },
    #[error("the database is locked by another process")]
    Locked,
    /// The database cannot be reached, or ended the transaction; nothing was written and the same
    /// call may succeed a little later.
    #[error("the database is unavailable: {message}")]
    Unavailable { message: String },
    /// The database was lost while it committed, and did not come back to be asked.
    #[error(
        "the connection to the database was lost during a commit ({message}); it is not known whether the change was made"
    )]
    Undecided { message: String },
    #[error("the database failed: {message}")]
    Failed { message: String },
    /// A stored value that no version of this program writes.
    #[error("the database contains an unreadable {what}: {message}")]
    Corrupt { what: &'static str, message: String },
    #[error("internal error: {message}")]
    Internal { message: String },
    /// A request's [`Definition`](crate::Definition) is not at the version it was read at.
    #[error("{definition} has changed since it was read; its version is {found}")]
    Changed { definition: String, found: u64 },
    /// The key of a [`RequestMark`](crate::RequestMark) is in use.
    #[error("a request with this Idempotency-Key was just carried out")]
    KeyTaken,
}

/// The error of a job: that of the database, or one that the job's author has beside it.
pub trait Failure: From<Error> + Send + 'static {
    /// What the database said, if it is that.
    fn database(&self) -> Option<&Error>;
}

impl Failure for Error {
    fn database(&self) -> Option<&Error> {
        Some(self)
    }
}

impl Error {
    pub fn corrupt(what: &'static str, error: impl std::fmt::Display) -> Self {
        Error::Corrupt {
            what,
            message: error.to_string(),
        }
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Error::Unavailable {
            message: message.into(),
        }
    }

    /// Whether the same call may succeed a little later.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Error::Locked
                | Error::Unavailable { .. }
                | Error::Undecided { .. }
                | Error::Failed { .. }
        )
    }

    /// After which time the same call is worth repeating, where repeating it is safe and waiting
    /// helps.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::Locked | Error::Stopped | Error::Unavailable { .. } => {
                Some(Duration::from_secs(2))
            }
            _ => None,
        }
    }

    /// Whether the connection or the whole transaction is lost, so that everything that shares
    /// the transaction must fail with it.
    pub(crate) fn spoils_transaction(&self) -> bool {
        matches!(
            self,
            Error::DiskFull
                | Error::Locked
                | Error::Unavailable { .. }
                | Error::Undecided { .. }
                | Error::Failed { .. }
        )
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ffi;
        let code = match &error {
            rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code,
            rusqlite::Error::FromSqlConversionFailure(index, _, source) => {
                return Error::corrupt("column", format!("{index}: {source}"));
            }
            _ => 0,
        };
        match code {
            // The second: no room for the index of SQLite's log.
            ffi::SQLITE_FULL | ffi::SQLITE_IOERR_SHMSIZE => Error::DiskFull,
            ffi::SQLITE_BUSY
            | ffi::SQLITE_LOCKED
            | ffi::SQLITE_BUSY_RECOVERY
            | ffi::SQLITE_BUSY_SNAPSHOT => Error::Locked,
            _ => Error::Failed {
                message: error.to_string(),
            },
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if let Some(refused) = error.as_database_error() {
            let code = refused.code().unwrap_or_default();
            let message = refused.message().to_owned();
            return match code.as_ref() {
                "53100" => Error::DiskFull,
                code if passes(code) => Error::Unavailable { message },
                _ => Error::Failed { message },
            };
        }
        match error {
            sqlx::Error::PoolClosed => Error::Stopped,
            sqlx::Error::ColumnDecode { index, source } => Error::Corrupt {
                what: "column",
                message: format!("{index}: {source}"),
            },
            sqlx::Error::Io(error) => Error::unavailable(error.to_string()),
            sqlx::Error::Tls(error) => Error::unavailable(error.to_string()),
            sqlx::Error::Protocol(message) => Error::Unavailable { message },
            sqlx::Error::PoolTimedOut => Error::unavailable("no connection in time"),
            other => Error::Failed {
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
