//! What a start function may ask for.

use std::any::type_name;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use crate::clock::SharedClock;
use crate::error::WorkerError;
use crate::manifold::Name;
use crate::panics::lock;
use crate::race::unless;
use crate::randomness::SharedRandomness;
use crate::worker::Outputs;

/// A snapshot of a node's inputs, taken when its start was requested. It expires when the start
/// function returns, so that no worker holds on to the values of inputs that are gone.
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
}

struct Shared {
    name: Name,
    abort: CancellationToken,
    clock: SharedClock,
    randomness: SharedRandomness,
    /// Each declared input with what its worker lends, if it had one; `None` once expired.
    snapshot: Mutex<Option<Snapshot>>,
}

pub(crate) type Snapshot = Vec<(Name, Option<Outputs>)>;

impl Context {
    pub(crate) fn new(
        name: Name,
        snapshot: Snapshot,
        abort: CancellationToken,
        clock: SharedClock,
        randomness: SharedRandomness,
    ) -> Self {
        let snapshot = Mutex::new(Some(snapshot));
        Self {
            shared: Arc::new(Shared {
                name,
                abort,
                clock,
                randomness,
                snapshot,
            }),
        }
    }

    /// The name of the node that is started.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.shared.name
    }

    /// The engine's clock.
    #[must_use]
    pub fn clock(&self) -> SharedClock {
        Arc::clone(&self.shared.clock)
    }

    /// The engine's source of chance.
    #[must_use]
    pub fn randomness(&self) -> SharedRandomness {
        Arc::clone(&self.shared.randomness)
    }

    /// The value of type `T` that input `name` lends.
    ///
    /// # Errors
    /// [`WorkerError::Missing`] when `name` is not a declared input, has no worker, or lends
    /// nothing at all; an ordinary error when it lends values of other types only, or when the
    /// context has expired.
    pub fn get<T: Clone + Send + Sync + 'static>(&self, name: &str) -> Result<T, WorkerError> {
        let outputs = self.outputs(name)?;
        match outputs.get::<T>() {
            Some(value) => Ok(value),
            None if outputs.is_empty() => Err(missing(name)),
            None => Err(WorkerError::text(format!(
                "{name} does not provide {}, only {outputs:?}",
                type_name::<T>()
            ))),
        }
    }

    /// As [`get`](Self::get), for an input the node can do without.
    ///
    /// # Errors
    /// As `get`, except that a missing input is `None`.
    pub fn get_optional<T: Clone + Send + Sync + 'static>(
        &self,
        name: &str,
    ) -> Result<Option<T>, WorkerError> {
        match self.get(name) {
            Ok(value) => Ok(Some(value)),
            Err(WorkerError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks only whether input `name` has a worker.
    ///
    /// # Errors
    /// [`WorkerError::Missing`] when it has none or is not declared, an ordinary error when the
    /// context has expired.
    pub fn require(&self, name: &str) -> Result<(), WorkerError> {
        self.outputs(name).map(|_| ())
    }

    /// Cancelled when the engine no longer wants this start.
    #[must_use]
    pub fn abort(&self) -> &CancellationToken {
        &self.shared.abort
    }

    /// Awaits `work`, unless the start is called off first; then `work` is dropped.
    ///
    /// # Errors
    /// [`WorkerError::Aborted`] when called off.
    pub fn or_abort<F: Future>(
        &self,
        work: F,
    ) -> impl Future<Output = Result<F::Output, WorkerError>> {
        unless(&self.shared.abort, work).map(|output| output.ok_or(WorkerError::Aborted))
    }

    pub(crate) fn expire(&self) {
        let expired = lock(&self.shared.snapshot).take();
        drop(expired);
    }

    fn outputs(&self, name: &str) -> Result<Outputs, WorkerError> {
        let snapshot = lock(&self.shared.snapshot);
        let Some(snapshot) = snapshot.as_ref() else {
            return Err(WorkerError::text(
                "context expired: inputs may be read during start only",
            ));
        };
        snapshot
            .iter()
            .find(|(input, _)| input == name)
            .and_then(|(_, outputs)| outputs.clone())
            .ok_or_else(|| missing(name))
    }
}

fn missing(name: &str) -> WorkerError {
    WorkerError::missing(name.to_owned())
}
