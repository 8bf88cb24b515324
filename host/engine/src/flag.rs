//! A truth that is constant over the life of its worker.
//!
//! The mechanism by which groups of workers start and stop: a flag node lends a [`Flag`] that
//! never changes. When the truth changes, its worker ends with a bounce, the engine restarts
//! everything that depends on it, and each start asks the flag anew. A [`Flag`] is a plain value
//! so that nobody can hold one that changes its mind.

use crate::error::{WorkerError, WorkerResult};
use crate::task::TaskWorker;
use crate::worker::{Outputs, SharedWorker, ValueWorker};

/// What a flag node lends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag(pub bool);

impl Flag {
    /// The truth at the time the flag's worker was started.
    #[must_use]
    pub fn check(self) -> bool {
        self.0
    }
}

/// A flag that stays as it is until its worker is killed.
#[must_use]
pub fn constant(truth: bool) -> SharedWorker {
    ValueWorker::lend(Flag(truth))
}

/// A flag that holds until `change` ends: when that ends well the worker bounces, so that its
/// next start finds the new truth; an error of it ends the worker as it is.
pub fn until<F>(truth: bool, change: F) -> SharedWorker
where
    F: Future<Output = WorkerResult> + Send + 'static,
{
    TaskWorker::lending(Outputs::of(Flag(truth)), |worker| async move {
        worker.or_dying(change).await??;
        Err(WorkerError::Bounce)
    })
}
