//! A dynamic set of workers by id, each restarted by itself.
//!
//! For workers that come and go with the model: one per model, per remote relation, per
//! application. A worker that ends cleanly is removed; one that fails is started again after a
//! constant delay, unless its error is fatal (then everything stops) or not worth a restart. Take
//! care: unless told otherwise **every error is fatal**, as in Juju.
//!
//! Like the engine, a runner has no task of its own, only one per worker.

mod config;
mod run;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::sync::{Notify, SetOnce};
use tokio_util::sync::CancellationToken;

use crate::error::{WorkerError, WorkerResult};
use crate::manifold::StartResult;
use crate::panics::lock;
use crate::worker::{SharedWorker, Worker};

pub use config::RunnerConfig;

/// A handle to a set of workers. Clones are the same set.
#[derive(Clone)]
pub struct Runner {
    shared: Arc<Shared>,
}

struct Shared {
    config: RunnerConfig,
    state: Mutex<State>,
    /// Told of each change, for those who wait for a worker or for its end.
    changed: Notify,
    dead: SetOnce<WorkerResult>,
}

#[derive(Default)]
struct State {
    life: Life,
    /// Boxed, since a tree keeps room for ten more than it has.
    workers: BTreeMap<String, Box<Entry>>,
    next_serial: u64,
    worst: Option<WorkerError>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Life {
    #[default]
    Alive,
    Dying,
    Dead,
}

struct Entry {
    /// Tells this worker from a later one of the same id.
    serial: u64,
    stop: CancellationToken,
    worker: Option<SharedWorker>,
    started_at: Option<Timestamp>,
    error: Option<WorkerError>,
}

type StartFn = Arc<dyn Fn() -> BoxFuture<'static, StartResult> + Send + Sync>;

/// Why a runner did not do as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunnerError {
    /// The id is in use, be it by a worker that waits for its restart or is still stopping.
    #[error("worker {0} already exists")]
    AlreadyExists(String),
    /// No worker has this id.
    #[error("worker {0} not found")]
    NotFound(String),
    /// The caller called it off.
    #[error("aborted while waiting for worker {0}")]
    Aborted(String),
    /// The runner has stopped.
    #[error("worker runner is not running")]
    Dead,
}

impl RunnerError {
    /// A stable name, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyExists(_) => "already-exists",
            Self::NotFound(_) => "not-found",
            Self::Aborted(_) => "aborted",
            Self::Dead => "dead",
        }
    }
}

impl From<RunnerError> for WorkerError {
    fn from(error: RunnerError) -> Self {
        Self::other(error)
    }
}

impl Runner {
    /// A runner without workers.
    #[must_use]
    pub fn new(config: RunnerConfig) -> Self {
        let shared = Shared {
            config,
            state: Mutex::default(),
            changed: Notify::new(),
            dead: SetOnce::new(),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Starts a worker under `id`, without waiting for it. A start that fails is treated as a
    /// worker that ended with that error. While the runner is dying the call is accepted and
    /// nothing happens. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// [`RunnerError::AlreadyExists`], [`RunnerError::Dead`].
    pub fn start_worker<F, Fut>(&self, id: impl Into<String>, start: F) -> Result<(), RunnerError>
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = StartResult> + Send + 'static,
    {
        let id = id.into();
        let stop = CancellationToken::new();
        let serial = {
            let mut state = lock(&self.shared.state);
            match state.life {
                Life::Dead => return Err(RunnerError::Dead),
                Life::Dying => return Ok(()),
                Life::Alive => {}
            }
            if state.workers.contains_key(&id) {
                return Err(RunnerError::AlreadyExists(id));
            }
            state.next_serial += 1;
            let serial = state.next_serial;
            state
                .workers
                .insert(id.clone(), Box::new(Entry::new(serial, stop.clone())));
            serial
        };
        let start: StartFn = Arc::new(move || Box::pin(start()));
        tokio::spawn(run::run_worker(self.clone(), id, serial, start, stop));
        Ok(())
    }

    /// Stops worker `id` and waits until it is gone. During the delay before a restart it is removed
    /// without being started.
    ///
    /// # Errors
    /// [`RunnerError::NotFound`], [`RunnerError::Dead`], and [`RunnerError::Aborted`] when called
    /// off; the stop goes on then.
    pub async fn stop_and_remove_worker(
        &self,
        id: &str,
        abort: &CancellationToken,
    ) -> Result<(), RunnerError> {
        let serial = self.stop(id)?;
        self.until(id, abort, |state| match state.workers.get(id) {
            Some(entry) if entry.serial == serial => None,
            _ => Some(Ok(())),
        })
        .await
    }

    /// Waits until worker `id` runs and returns it.
    ///
    /// # Errors
    /// [`RunnerError::NotFound`] when there is none, or none any more, [`RunnerError::Dead`], and
    /// [`RunnerError::Aborted`] when called off.
    pub async fn worker(
        &self,
        id: &str,
        abort: &CancellationToken,
    ) -> Result<SharedWorker, RunnerError> {
        self.until(id, abort, |state| match state.workers.get(id) {
            _ if state.life == Life::Dead => Some(Err(RunnerError::Dead)),
            None => Some(Err(RunnerError::NotFound(id.to_owned()))),
            Some(entry) => entry.worker.clone().map(Ok),
        })
        .await
    }

    /// The ids in use, in order.
    #[must_use]
    pub fn worker_ids(&self) -> Vec<String> {
        lock(&self.shared.state).workers.keys().cloned().collect()
    }

    async fn until<T>(
        &self,
        id: &str,
        abort: &CancellationToken,
        answer: impl Fn(&State) -> Option<Result<T, RunnerError>>,
    ) -> Result<T, RunnerError> {
        loop {
            let mut changed = std::pin::pin!(self.shared.changed.notified());
            changed.as_mut().enable();
            if let Some(answer) = answer(&lock(&self.shared.state)) {
                return answer;
            }
            tokio::select! {
                biased;
                () = changed => {}
                () = abort.cancelled() => return Err(RunnerError::Aborted(id.to_owned())),
            }
        }
    }

    fn stop(&self, id: &str) -> Result<u64, RunnerError> {
        let (serial, worker) = {
            let state = lock(&self.shared.state);
            if state.life == Life::Dead {
                return Err(RunnerError::Dead);
            }
            let entry = state
                .workers
                .get(id)
                .ok_or_else(|| RunnerError::NotFound(id.to_owned()))?;
            entry.stop.cancel();
            (entry.serial, entry.worker.clone())
        };
        if let Some(worker) = worker {
            worker.kill();
        }
        Ok(serial)
    }
}

impl Entry {
    fn new(serial: u64, stop: CancellationToken) -> Self {
        Self {
            serial,
            stop,
            worker: None,
            started_at: None,
            error: None,
        }
    }
}

#[async_trait]
impl Worker for Runner {
    fn kill(&self) {
        self.begin_stop(None);
    }

    /// The most important of the fatal errors seen.
    async fn wait(&self) -> WorkerResult {
        self.shared.dead.wait().await.clone()
    }

    fn report(&self) -> Value {
        let entries: Vec<_> = {
            let state = lock(&self.shared.state);
            let entries = state.workers.iter().map(|(id, entry)| {
                (
                    id.clone(),
                    entry.stop.is_cancelled(),
                    entry.worker.clone(),
                    entry.started_at,
                    entry.error.clone(),
                )
            });
            entries.collect()
        };
        let mut workers = Map::new();
        for (id, stopping, worker, started_at, error) in entries {
            let state = match (&worker, stopping) {
                (_, true) => "stopping",
                (Some(_), false) => "started",
                (None, false) => "starting",
            };
            let mut report = json!({ "state": state });
            if let Some(started_at) = started_at {
                report["started-at"] = json!(started_at);
            }
            if let Some(error) = error {
                report["error"] = json!(error.to_string());
            }
            let inner = worker.map_or(Value::Null, |worker| worker.report());
            if !inner.is_null() {
                report["report"] = inner;
            }
            workers.insert(id, report);
        }
        json!({ "workers": workers })
    }
}
