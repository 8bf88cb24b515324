//! A one-way latch: locked, then unlocked, for good.
//!
//! A gate has one of two lifetimes. One that its node makes ([`manifold`]) is locked again when
//! that node restarts. One that was made outside and is only lent ([`lent`]) survives restarts;
//! so do the gates that say an upgrade is done.

#[cfg(test)]
mod tests;

use tokio_util::sync::CancellationToken;

use crate::error::{Kind, WorkerError};
use crate::flag::{self, Flag};
use crate::manifold::{Manifold, Name};
use crate::task::TaskWorker;
use crate::worker::{Outputs, ValueWorker};

/// The latch. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    unlocked: CancellationToken,
}

impl Gate {
    /// A locked gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the gate. Opening it twice is the same as once.
    pub fn unlock(&self) {
        self.unlocked.cancel();
    }

    /// True from the first unlock on.
    #[must_use]
    pub fn is_unlocked(&self) -> bool {
        self.unlocked.is_cancelled()
    }

    /// Ends when the gate is open; at once when it already is.
    pub async fn unlocked(&self) {
        self.unlocked.cancelled().await;
    }
}

/// A node with a gate of its own, locked at each start. It lends a [`Gate`].
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|_| async { Ok(ValueWorker::lend(Gate::new())) })
}

/// A node that lends a gate made elsewhere.
#[must_use]
pub fn lent(gate: Gate) -> Manifold {
    Manifold::new(move |_| {
        let gate = gate.clone();
        async move { Ok(ValueWorker::lend(gate)) }
    })
}

/// The flag of the gate that node `gate` lends: true iff it was open when the flag started.
#[must_use]
pub fn flag(gate: impl Into<Name>) -> Manifold {
    let input = gate.into();
    let needs = input.clone();
    Manifold::new(move |context| {
        let input = input.clone();
        async move {
            let gate: Gate = context.get(&input)?;
            if gate.is_unlocked() {
                return Ok(flag::constant(true));
            }
            Ok(TaskWorker::lending(
                Outputs::of(Flag(false)),
                |worker| async move {
                    worker.or_dying(gate.unlocked()).await?;
                    Err(WorkerError::other(Unlocked))
                },
            ))
        }
    })
    .needs([needs])
    .filter(|error| match (error.find::<Unlocked>(), error.kind()) {
        (Some(_), Kind::Other) => Err(WorkerError::Bounce),
        _ => Err(error),
    })
}

/// How the flag of a locked gate ends, known only to its own filter.
#[derive(Debug, thiserror::Error)]
#[error("gate unlocked")]
struct Unlocked;
