//! Why a uniter ends, other than by a hook that fails (that is a state, not an error).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use periapt_engine::FortressError;
use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_model::uniter::OperationError;
use periapt_wire::CallError;
use periapt_wire::rpc::code;
use thiserror::Error;

#[derive(Clone, Debug, Error)]
pub enum UniterError {
    #[error("{doing}: {error}")]
    Call {
        doing: &'static str,
        error: CallError,
    },
    #[error(transparent)]
    Operation(#[from] OperationError),
    #[error("{what} {}: {error}", path.display())]
    Files {
        what: &'static str,
        path: PathBuf,
        error: Arc<io::Error>,
    },
    /// The charm cannot be put in place; a person or another charm can mend that.
    #[error("charm {url}: {reason}")]
    Charm { url: String, reason: String },
    /// Neither the charm's fault nor the unit's: the same succeeds once there are some again.
    #[error("no file descriptors are left: {0}")]
    Descriptors(String),
    /// The controller is about to compile the charm; who watches the unit is told of it.
    #[error("the controller has not compiled the charm for this agent yet")]
    NotCompiled,
    #[error("a component of the charm is missing: {0}")]
    Component(String),
    #[error("leadership of the application is unknown: its tracker has stopped")]
    LeadershipTracker,
    #[error(transparent)]
    Fortress(#[from] FortressError),
    #[error("work for a hook ended unexpectedly: {0}")]
    Thread(String),
}

impl UniterError {
    pub fn code(&self) -> &'static str {
        match self {
            UniterError::Call { .. } => "uniter-call",
            UniterError::Operation(error) => error.code(),
            UniterError::Files { .. } => "uniter-files",
            UniterError::Charm { .. } => "uniter-charm",
            UniterError::Descriptors(_) => "descriptors",
            UniterError::NotCompiled => "charm-not-compiled",
            UniterError::Component(_) => "charm-component-missing",
            UniterError::LeadershipTracker => "uniter-leadership",
            UniterError::Fortress(_) => "uniter-fortress",
            UniterError::Thread(_) => "uniter-thread",
        }
    }

    /// Whether the controller does not know what it was asked about.
    pub fn is_not_found(&self) -> bool {
        matches!(self, UniterError::Call { error, .. } if error.is(code::NOT_FOUND))
    }

    /// Whether bytes are not there any more that were asked for by their digest.
    pub fn is_gone(&self) -> bool {
        let gone = Refusal::NotFound(Subject::Blob).code();
        let call = |error: &CallError| error.is(gone) || error.is(code::NOT_FOUND);
        matches!(self, UniterError::Call { error, .. } if call(error))
    }

    /// Whether it failed because the process, or the machine, has no file descriptors left.
    pub fn is_out_of_descriptors(&self) -> bool {
        match self {
            UniterError::Descriptors(_) => true,
            UniterError::Files { error, .. } => periapt_files::out_of_descriptors(error),
            _ => false,
        }
    }

    /// Whether the controller wants to be asked again once something has changed.
    pub fn is_try_again(&self) -> bool {
        matches!(self, UniterError::Call { error, .. } if error.is(code::TRY_AGAIN))
    }

    /// Whether the unit's record is another one than was read.
    pub fn is_stale(&self) -> bool {
        matches!(self, UniterError::Call { error, .. } if error.is(code::STALE))
    }

    /// Whether a person answered a failed hook before the next one could begin.
    pub fn is_answered(&self) -> bool {
        matches!(self, UniterError::Call { error, .. } if error.is(code::ANSWERED))
    }
}

/// For `map_err` on calls.
pub(crate) fn call(doing: &'static str) -> impl FnOnce(CallError) -> UniterError {
    move |error| UniterError::Call { doing, error }
}

/// For `map_err` on file operations.
pub(crate) fn file(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> UniterError {
    let path = path.to_owned();
    move |error| UniterError::Files {
        what,
        path,
        error: Arc::new(error),
    }
}
