//! What a request demands of its first write: that a definition is still at the version it was
//! read at, and that the request itself was not carried out before.
//!
//! Both are checked inside the transaction of that write, so nothing can come between the check
//! and the change. The demands travel with the task that handles the request ([`Guard::around`])
//! instead of through every method that changes something: a new kind of request is guarded without a
//! line of its own. Preparations, such as the bytes of an upload, are written outside of it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;

use crate::error::Error;
use crate::idempotency::RequestMark;
use crate::tx::Tx;
use crate::versions::{self, Definition, Expected};
use crate::writer::{Job, Ran};

tokio::task_local! {
    static CURRENT: Guard;
}

/// The demands of one request. Clones are the same guard.
#[derive(Clone)]
pub struct Guard {
    inner: Arc<Inner>,
}

struct Inner {
    definition: Option<Definition>,
    expected: Option<Expected>,
    mark: OnceLock<RequestMark>,
    /// A job has met the demands; later ones of the request need not.
    met: AtomicBool,
    /// A job that met them is committed.
    written: AtomicBool,
    version: AtomicU64,
}

impl Guard {
    /// Demands that `definition` is at an expected version, and reports the version it has after
    /// each write. Without `expected` any version will do.
    pub fn new(definition: Option<Definition>, expected: Option<Expected>) -> Self {
        Self {
            inner: Arc::new(Inner {
                definition,
                expected,
                mark: OnceLock::new(),
                met: AtomicBool::new(false),
                written: AtomicBool::new(false),
                version: AtomicU64::new(0),
            }),
        }
    }

    /// Demands as well that the request was not carried out before, and remembers it.
    #[must_use]
    pub fn once(self, mark: RequestMark) -> Self {
        // A guard gets its mark when it is made; a second one changes nothing.
        let _ = self.inner.mark.set(mark);
        self
    }

    /// Runs `request`; writes of its task, though not of tasks it spawns, meet the demands.
    pub async fn around<F: Future>(&self, request: F) -> F::Output {
        CURRENT.scope(self.clone(), request).await
    }

    /// Whether something was written and committed.
    pub fn written(&self) -> bool {
        self.inner.written.load(Ordering::Acquire)
    }

    /// The definition's version after the last write; none when nothing was written or no
    /// definition was named.
    pub fn version(&self) -> Option<u64> {
        (self.written() && self.inner.definition.is_some())
            .then(|| self.inner.version.load(Ordering::Acquire))
    }

    /// The guard of the running task.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Guard::clone).ok()
    }

    /// Before the work of a job.
    async fn before(&self, tx: &mut Tx) -> Result<(), Error> {
        if self.inner.met.load(Ordering::Acquire) {
            return Ok(());
        }
        if let (Some(definition), Some(expected)) = (&self.inner.definition, &self.inner.expected) {
            let found = versions::current(tx, definition).await?;
            if !expected.holds(found) {
                return Err(Error::Changed {
                    definition: definition.to_string(),
                    found,
                });
            }
        }
        match self.inner.mark.get() {
            Some(mark) => mark.insert(tx).await,
            None => Ok(()),
        }
    }

    /// After the work of a job that went well.
    async fn after(&self, tx: &mut Tx) -> Result<(), Error> {
        if let Some(definition) = &self.inner.definition {
            let version = versions::current(tx, definition).await?;
            self.inner.version.store(version, Ordering::Release);
        }
        self.inner.met.store(true, Ordering::Release);
        Ok(())
    }

    /// Once the job is durable.
    fn committed(&self) {
        self.inner.written.store(true, Ordering::Release);
    }
}

/// A job that was handed over within a request.
pub(crate) struct Guarded {
    guard: Guard,
    job: Box<dyn Job>,
    kept: bool,
}

impl Guarded {
    pub(crate) fn new(guard: Guard, job: Box<dyn Job>) -> Self {
        let kept = false;
        Self { guard, job, kept }
    }
}

impl Job for Guarded {
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<Ran, Error>> {
        Box::pin(async move {
            self.guard.before(tx).await?;
            let ran = self.job.run(tx).await?;
            if matches!(ran, Ran::Well) {
                self.guard.after(tx).await?;
                self.kept = true;
            }
            Ok(ran)
        })
    }

    fn answer(self: Box<Self>, outcome: Result<(), Error>) {
        if self.kept && outcome.is_ok() {
            self.guard.committed();
        }
        self.job.answer(outcome);
    }
}
