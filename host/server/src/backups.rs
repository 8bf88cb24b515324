//! Backups of the whole controller; made where its files are, since the server knows no path.

use std::path::PathBuf;

use async_trait::async_trait;
use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_store::StoreError;
use periapt_wire::rest::Backup;
use thiserror::Error;

/// Makes and keeps backups.
#[async_trait]
pub trait Backups: Send + Sync + 'static {
    /// Makes one while everything runs; it shows one moment.
    async fn create(&self) -> Result<Backup, BackupError>;

    /// Those that are kept here, oldest first.
    async fn list(&self) -> Result<Vec<Backup>, BackupError>;

    /// One of them, with its bytes.
    async fn open(&self, id: &str) -> Result<(Backup, tokio::fs::File), BackupError>;

    /// Removes one.
    async fn remove(&self, id: &str) -> Result<Backup, BackupError>;
}

/// Why there is no backup.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("backup \"{0}\" not found")]
    NotFound(String),
    #[error("a backup is being made")]
    Busy,
    /// Files of units were replaced faster than they could be read.
    #[error("the files of unit {0} changed faster than they could be read")]
    Restless(String),
    #[error("the backup cannot be written: {0}")]
    Internal(String),
}

impl BackupError {
    /// What the caller is told of it beside the reason.
    pub fn refusal(&self) -> Refusal {
        match self {
            BackupError::Store(error) => error.refusal(),
            BackupError::File { source, .. } if is_full(source) => Refusal::DiskFull,
            BackupError::File { .. } => Refusal::BackupFile,
            BackupError::NotFound(_) => Refusal::NotFound(Subject::Backup),
            BackupError::Busy => Refusal::BackupRunning,
            BackupError::Restless(_) => Refusal::BackupRestless,
            BackupError::Internal(_) => Refusal::InternalError,
        }
    }
}

/// Whether there is no room on the disk.
pub fn is_full(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    )
}

/// For a server that has no place for them.
pub struct NoBackups;

#[async_trait]
impl Backups for NoBackups {
    async fn create(&self) -> Result<Backup, BackupError> {
        Err(BackupError::Internal("there is no place for it".to_owned()))
    }

    async fn list(&self) -> Result<Vec<Backup>, BackupError> {
        Ok(Vec::new())
    }

    async fn open(&self, id: &str) -> Result<(Backup, tokio::fs::File), BackupError> {
        Err(BackupError::NotFound(id.to_owned()))
    }

    async fn remove(&self, id: &str) -> Result<Backup, BackupError> {
        Err(BackupError::NotFound(id.to_owned()))
    }
}
