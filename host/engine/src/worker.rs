//! The one shape every running thing has: it can be killed, waited for, asked for a report, and it
//! may lend values to the nodes that depend on it.
//!
//! Killing only asks; waiting tells when it is done. Neither ever blocks the caller's thread.

use std::any::{Any, type_name};
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use crate::error::WorkerResult;

/// A running thing. Usually made with [`TaskWorker`](crate::TaskWorker).
#[async_trait]
pub trait Worker: Send + Sync + 'static {
    /// Asks the worker to stop. Returns at once; asking twice is the same as asking once. Must not
    /// wait and must not panic.
    fn kill(&self);

    /// Waits until the worker has stopped and says why. Any number of callers may wait, before or
    /// after its death, and all get the same answer.
    async fn wait(&self) -> WorkerResult;

    /// What an operator may want to know about its inner state; null for nothing. Must not wait.
    fn report(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// The values lent to dependents. Read once, when the worker has been started: a value that
    /// changes afterwards is lent as a handle.
    fn outputs(&self) -> Outputs {
        Outputs::default()
    }
}

/// The form in which workers are passed around.
pub type SharedWorker = Arc<dyn Worker>;

/// Values lent by a worker, at most one of each type. A dependent names the type it wants, so a
/// trait object is lent as itself: `Outputs::of(store as Arc<dyn Store>)`.
#[derive(Clone, Default)]
pub struct Outputs {
    values: Vec<Output>,
}

#[derive(Clone)]
struct Output {
    value: Arc<dyn Any + Send + Sync>,
    type_name: &'static str,
}

impl Outputs {
    /// A single value.
    pub fn of<T: Clone + Send + Sync + 'static>(value: T) -> Self {
        Self::default().and(value)
    }

    /// One value more. The first of a type stays.
    #[must_use]
    pub fn and<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.values.push(Output {
            value: Arc::new(value),
            type_name: type_name::<T>(),
        });
        self
    }

    /// A copy of the value of type `T`, when there is one.
    #[must_use]
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.values
            .iter()
            .find_map(|output| output.value.downcast_ref::<T>().cloned())
    }

    /// True when nothing is lent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl fmt::Debug for Outputs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_list()
            .entries(self.values.iter().map(|output| output.type_name))
            .finish()
    }
}

/// A worker that does nothing but lend values until it is killed. It needs no task.
#[derive(Debug)]
pub struct ValueWorker {
    dying: CancellationToken,
    outputs: Outputs,
}

impl ValueWorker {
    /// Lends a single value.
    pub fn lend<T: Clone + Send + Sync + 'static>(value: T) -> SharedWorker {
        Self::with(Outputs::of(value))
    }

    /// Lends several values, or none.
    #[must_use]
    pub fn with(outputs: Outputs) -> SharedWorker {
        Arc::new(Self {
            dying: CancellationToken::new(),
            outputs,
        })
    }
}

#[async_trait]
impl Worker for ValueWorker {
    fn kill(&self) {
        self.dying.cancel();
    }

    async fn wait(&self) -> WorkerResult {
        self.dying.cancelled().await;
        Ok(())
    }

    fn outputs(&self) -> Outputs {
        self.outputs.clone()
    }
}
