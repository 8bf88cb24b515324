//! Why a controller cannot be made or run, in words for the person who tried.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use periapt_engine::WorkerError;
use periapt_engine::supervised::SupervisedError;
use periapt_server::ServerError;
use periapt_store::StoreError;
use thiserror::Error;

/// An error of the controller's process.
#[derive(Debug, Error)]
pub enum ControllerError {
    #[error("there is no controller in {}", .0.display())]
    NoController(PathBuf),
    #[error("there is already a controller in {}", .0.display())]
    AlreadyThere(PathBuf),
    #[error("there are agents of an earlier controller in {}, but controller.json is missing", .0.display())]
    LeftOver(PathBuf),
    #[error("the backup {} is damaged: {reason}; nothing was changed", path.display())]
    Backup { path: PathBuf, reason: String },
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
    #[error("the database is not empty")]
    DatabaseNotEmpty,
    #[error("the controller in {} keeps its data in a file, which allows only one process", .0.display())]
    OneProcess(PathBuf),
    #[error("the database does not contain this controller's models")]
    OtherDatabase,
    #[error(
        "{place} has no data of the controller, but {} shows that it had some: starting again there would lose every model",
        directory.display()
    )]
    DatabaseGone { place: String, directory: PathBuf },
    #[error("the controller of {} {before}; started in two places at once, it would do everything twice", directory.display())]
    Moved { directory: PathBuf, before: String },
    #[error("process {node}, of {}, was removed from its controller", directory.display())]
    Removed { node: u32, directory: PathBuf },
    #[error("a controller already runs in {}{}", directory.display(), pid.map_or_else(String::new, |pid| format!(" (process {pid})")))]
    AlreadyRunning {
        directory: PathBuf,
        pid: Option<u32>,
    },
    #[error("cannot serve on {address}: {source}")]
    Port {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error("{} belongs to user {owner}, or is a link", path.display())]
    NotYours { path: PathBuf, owner: u32 },
    #[error("the controller's configuration {} is damaged: {reason}", path.display())]
    Configuration { path: PathBuf, reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Server(#[from] ServerError),
    #[error("cannot compile charms on this machine: {0}")]
    Sandbox(String),
    /// A fault that no restart of a single worker mends.
    #[error("{0}")]
    Stopped(WorkerError),
    #[error("internal error: {0}")]
    Internal(String),
}

impl ControllerError {
    /// What to do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            ControllerError::NoController(_) => {
                "make one with `periapt bootstrap`, or name its folder with --data-dir"
            }
            ControllerError::AlreadyThere(_) => {
                "start it with `periapt controller start`, or choose another --data-dir"
            }
            ControllerError::LeftOver(_) => {
                "choose another --data-dir, or move the folder aside and restore a backup: `periapt restore-backup FILE`"
            }
            ControllerError::Backup { .. } => {
                "use another backup: `periapt backups` lists those of a controller that runs"
            }
            ControllerError::DatabaseNotEmpty => {
                "give an empty database or schema; a restore writes over nothing"
            }
            ControllerError::NotEmpty(_) => {
                "choose another --data-dir, or move what is there aside; a restore writes over nothing"
            }
            ControllerError::OneProcess(_) => {
                "bootstrap a controller with --postgres-url to run several processes of it"
            }
            ControllerError::Removed { .. } => {
                "remove the folder, or make it a process again with `periapt controller join --from \
                 FOLDER-OF-ANOTHER --data-dir` and this folder"
            }
            ControllerError::OtherDatabase => "see which database controller.json names",
            ControllerError::DatabaseGone { .. } => {
                "put the database back, or move the folder aside and restore a backup: `periapt restore-backup FILE`"
            }
            ControllerError::Moved { .. } => {
                "if it was moved and nothing runs in the old place: `periapt controller start --accept-move`, with --data-dir and this folder; remove a mere copy"
            }
            ControllerError::AlreadyRunning { .. } => "use the one that runs, or stop it first",
            ControllerError::Port { .. } => "choose another port, or stop what uses this one",
            ControllerError::File { .. } => "see whether the folder is there and belongs to you",
            ControllerError::NotYours { .. } => {
                "choose another --data-dir, or make this folder and all it holds yours"
            }
            ControllerError::Configuration { .. } => {
                "correct controller.json, or restore it from a copy"
            }
            ControllerError::Store(_) => "see whether the database answers and its disk has room",
            _ => "controller.log in its folder tells more",
        }
    }

    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            ControllerError::NoController(_) => "controller-not-found",
            ControllerError::AlreadyThere(_) => "controller-already-exists",
            ControllerError::LeftOver(_) => "controller-leftovers",
            ControllerError::Backup { .. } => "backup-damaged",
            ControllerError::NotEmpty(_) => "folder-not-empty",
            ControllerError::DatabaseNotEmpty => "database-not-empty",
            ControllerError::OneProcess(_) => "controller-needs-postgresql",
            ControllerError::Removed { .. } => "controller-node-removed",
            ControllerError::OtherDatabase => "controller-not-in-database",
            ControllerError::DatabaseGone { .. } => "controller-database-gone",
            ControllerError::Moved { .. } => "controller-moved",
            ControllerError::AlreadyRunning { .. } => "controller-already-running",
            ControllerError::Port { .. } => "port-unavailable",
            ControllerError::File { .. } => "controller-file",
            ControllerError::NotYours { .. } => "controller-directory-not-yours",
            ControllerError::Configuration { .. } => "controller-configuration-damaged",
            ControllerError::Store(error) => error.refusal().code(),
            ControllerError::Server(error) => error.code(),
            ControllerError::Sandbox(_) => "sandbox-unavailable",
            ControllerError::Stopped(_) => "controller-stopped",
            ControllerError::Internal(_) => "internal-error",
        }
    }
}

impl From<SupervisedError> for ControllerError {
    fn from(error: SupervisedError) -> Self {
        Self::File {
            doing: error.doing,
            path: error.path,
            source: error.source,
        }
    }
}

/// Names the file in an I/O error.
pub(super) fn file(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> ControllerError {
    let path = path.into();
    move |source| ControllerError::File {
        doing,
        path,
        source,
    }
}
