//! Why a provider could not do what it was asked.

use std::io;
use std::path::PathBuf;

use periapt_engine::supervised::SupervisedError;
use thiserror::Error;

/// An error of a provider. All but [`InvalidName`](ProviderError::InvalidName) and
/// [`ConstraintsUnmet`](ProviderError::ConstraintsUnmet) may go away by themselves, or with another program, so
/// the caller may try again.
#[derive(Debug, Error)]
pub enum ProviderError {
    /// An instance's name that cannot be part of an instance id.
    #[error("\"{0}\" cannot name an instance: use letters, digits, `.`, `_`, `/` and `-`")]
    InvalidName(String),
    /// The file system refused.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// No provider of this kind is built in.
    #[error("this program has no provider \"{kind}\"; it has {}", known.join(", "))]
    UnknownKind { kind: String, known: Vec<String> },
    /// The operating system refused to start the agent.
    #[error("cannot start the agent {}: {source}", program.display())]
    Spawn { program: PathBuf, source: io::Error },
    /// The operating system refused to watch or signal the agent.
    #[error("cannot {doing} the agent process {pid}: {source}")]
    Process {
        doing: &'static str,
        pid: i32,
        source: io::Error,
    },
    /// Somebody holds the agent's lock and does not say who it is.
    #[error("another process has locked {} and its identity is not recorded there", .0.display())]
    UnknownAgent(PathBuf),
    /// Instances exist, yet the configuration their agent was started with is gone.
    #[error("there is no agent configuration in {}", .0.display())]
    NoConfiguration(PathBuf),
    /// What has to be mounted, and this process may not mount.
    #[error(
        "{what} storage must be mounted, so the controller has to run as root with CAP_SYS_ADMIN; otherwise use a pool of rootfs"
    )]
    StorageNeedsRoot { what: &'static str },
    /// A name that cannot be that of a directory of storage.
    #[error("\"{0}\" cannot name a directory of storage: use letters, digits, `.`, `_` and `-`")]
    InvalidDirectory(String),
    /// A directory that was there before is not there.
    #[error("there is no storage at {}", .0.display())]
    NothingToImport(PathBuf),
    /// A directory that is to be new is there and somebody's.
    #[error("{} already exists; import it, or move it away", .0.display())]
    DirectoryTaken(PathBuf),
    /// A program of the operating system failed, in its own words.
    #[error("{program} failed: {why}")]
    Program { program: &'static str, why: String },
    /// A failure of the place where instances live, in its own words.
    #[error("{0}")]
    Refused(String),
    /// The place where instances live does not accept who asks, in its own words.
    #[error("{0}")]
    CredentialRefused(String),
    /// No instance that it could make is what was asked for, in its own words.
    #[error("{0}")]
    ConstraintsUnmet(String),
    /// The provider has been closed.
    #[error("the provider is closed")]
    Closed,
}

impl ProviderError {
    /// Whether it is the credential that was refused: asked again with the same one, the answer
    /// would be the same.
    pub fn refuses_credential(&self) -> bool {
        match self {
            ProviderError::CredentialRefused(_) => true,
            ProviderError::File { source, .. }
            | ProviderError::Spawn { source, .. }
            | ProviderError::Process { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ),
            _ => false,
        }
    }

    /// Whether the same request would be answered the same for as long as nobody changes it or what the provider has.
    pub fn is_final(&self) -> bool {
        matches!(self, ProviderError::ConstraintsUnmet(_))
    }

    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            ProviderError::InvalidName(_) => "instance-name-invalid",
            ProviderError::File { .. } => "provider-file",
            ProviderError::UnknownKind { .. } => "provider-unknown",
            ProviderError::Spawn { .. } => "agent-not-started",
            ProviderError::Process { .. } => "agent-process",
            ProviderError::UnknownAgent(_) => "agent-unknown",
            ProviderError::NoConfiguration(_) => "agent-configuration-missing",
            ProviderError::StorageNeedsRoot { .. } => "storage-needs-root",
            ProviderError::InvalidDirectory(_) => "storage-directory-invalid",
            ProviderError::NothingToImport(_) => "storage-not-there",
            ProviderError::DirectoryTaken(_) => "storage-directory-taken",
            ProviderError::Program { .. } => "storage-program",
            ProviderError::Refused(_) => "provider-refused",
            ProviderError::CredentialRefused(_) => "provider-credential-refused",
            ProviderError::ConstraintsUnmet(_) => "constraints-unmet",
            ProviderError::Closed => "provider-closed",
        }
    }
}

impl From<SupervisedError> for ProviderError {
    fn from(error: SupervisedError) -> Self {
        Self::File {
            doing: error.doing,
            path: error.path,
            source: error.source,
        }
    }
}

/// Names the file in an I/O error.
pub(crate) fn file(
    doing: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> ProviderError {
    let path = path.into();
    move |source| ProviderError::File {
        doing,
        path,
        source,
    }
}
