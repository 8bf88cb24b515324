//! Why a controller ends, as a worker found out and a person must hear it. A worker's own error is
//! a line in a log; this is what the process says last.

use std::sync::{Arc, Mutex, PoisonError};

use periapt_engine::WorkerError;

use crate::ControllerError;

/// The first verdict counts. Clones share it.
#[derive(Clone, Default)]
pub struct Verdict {
    error: Arc<Mutex<Option<ControllerError>>>,
}

impl Verdict {
    /// Has the process end with `error`; what the worker that found out is to end with.
    pub fn end(&self, error: ControllerError) -> WorkerError {
        let fatal = WorkerError::fatal(Arc::<str>::from(error.to_string()));
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        fatal
    }

    pub fn take(&self) -> Option<ControllerError> {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.take()
    }
}
