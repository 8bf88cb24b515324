//! What is left of a panic or of a poisoned lock: the one place where both are turned into
//! ordinary values, so that one broken worker never takes its neighbours along.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;

use crate::error::WorkerError;

/// Locks, also after a panic of another holder: every critical section of this crate leaves its
/// state whole before it calls anything that could panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work`; a panic in it becomes an error which carries the panic's text.
pub(crate) fn catch<T>(
    work: impl Future<Output = Result<T, WorkerError>>,
) -> impl Future<Output = Result<T, WorkerError>> {
    let caught = AssertUnwindSafe(work).catch_unwind();
    caught.map(|result| result.unwrap_or_else(|payload| Err(panicked(payload.as_ref()))))
}

/// As [`catch`], for a plain call.
pub(crate) fn catch_call<T>(
    call: impl FnOnce() -> Result<T, WorkerError>,
) -> Result<T, WorkerError> {
    match std::panic::catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result,
        Err(payload) => Err(panicked(payload.as_ref())),
    }
}

fn panicked(payload: &(dyn Any + Send)) -> WorkerError {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no text");
    WorkerError::text(format!("panicked: {text}"))
}
