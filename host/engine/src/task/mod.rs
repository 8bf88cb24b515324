//! The usual way to write a worker: one async function, its children and its report.
//!
//! The function gets a [`WorkerContext`] with everything it needs to behave: the token that says
//! when to stop, a place for its report, and a catacomb for the watchers it opens. Returning ends
//! the worker and its children; a panic is an error with the panic's text.

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::FutureExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::catacomb::Catacomb;
use crate::error::{WorkerError, WorkerResult};
use crate::panics::lock;
use crate::race::unless;
use crate::worker::{Outputs, SharedWorker, Worker};

/// A worker that is one async function.
pub struct TaskWorker {
    context: WorkerContext,
    outputs: Outputs,
}

impl TaskWorker {
    /// Starts a worker that lends nothing.
    pub fn spawn<F, Fut>(work: F) -> SharedWorker
    where
        F: FnOnce(WorkerContext) -> Fut,
        Fut: Future<Output = WorkerResult> + Send + 'static,
    {
        Self::lending(Outputs::default(), work)
    }

    /// Starts a worker that lends `outputs` to its dependents.
    pub fn lending<F, Fut>(outputs: Outputs, work: F) -> SharedWorker
    where
        F: FnOnce(WorkerContext) -> Fut,
        Fut: Future<Output = WorkerResult> + Send + 'static,
    {
        let context = WorkerContext {
            catacomb: Catacomb::new(),
            report: Arc::new(Mutex::new(Report::Told(Value::Null))),
        };
        let work = work(context.clone());
        // A site made on the line above cannot have been used before.
        let _ = context.catacomb.invoke([], work);
        Arc::new(Self { context, outputs })
    }
}

#[async_trait]
impl Worker for TaskWorker {
    fn kill(&self) {
        self.context.catacomb.kill(None);
    }

    async fn wait(&self) -> WorkerResult {
        self.context.catacomb.wait().await
    }

    fn report(&self) -> Value {
        // The lock is not held while a source is asked: it may take its time.
        let source = match &*lock(&self.context.report) {
            Report::Told(report) => return report.clone(),
            Report::Asked(source) => Arc::clone(source),
        };
        source()
    }

    fn outputs(&self) -> Outputs {
        self.outputs.clone()
    }
}

/// What a worker's function holds of itself.
#[derive(Clone)]
pub struct WorkerContext {
    catacomb: Catacomb,
    report: Arc<Mutex<Report>>,
}

enum Report {
    Told(Value),
    Asked(Arc<dyn Fn() -> Value + Send + Sync>),
}

impl WorkerContext {
    /// Cancelled when the worker should stop.
    #[must_use]
    pub fn dying(&self) -> &CancellationToken {
        self.catacomb.dying()
    }

    /// Awaits `work`, unless the worker is asked to stop first; then `work` is dropped. With `?`
    /// this ends a worker's function cleanly.
    ///
    /// # Errors
    /// [`WorkerError::Dying`] when asked to stop.
    pub fn or_dying<F: Future>(
        &self,
        work: F,
    ) -> impl Future<Output = Result<F::Output, WorkerError>> {
        unless(self.dying(), work).map(|output| output.ok_or(WorkerError::Dying))
    }

    /// Hands over a child; see [`Catacomb::add`].
    ///
    /// # Errors
    /// [`WorkerError::Dying`] when the worker is stopping; the child has been killed.
    pub fn add(&self, child: SharedWorker) -> WorkerResult {
        self.catacomb.add(child)
    }

    /// Replaces what the worker reports of itself.
    pub fn set_report(&self, report: Value) {
        *lock(&self.report) = Report::Told(report);
    }

    /// Asks `source` each time somebody wants the report, for what changes without the worker.
    pub fn report_from(&self, source: impl Fn() -> Value + Send + Sync + 'static) {
        *lock(&self.report) = Report::Asked(Arc::new(source));
    }

    /// Changes the report in place.
    pub fn update_report(&self, update: impl FnOnce(&mut Value)) {
        let mut report = lock(&self.report);
        let asked = match &*report {
            Report::Told(_) => None,
            Report::Asked(source) => Some(source()),
        };
        if let Some(asked) = asked {
            *report = Report::Told(asked);
        }
        if let Report::Told(report) = &mut *report {
            update(report);
        }
    }
}
