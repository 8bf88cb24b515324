//! What a request demands of its first write, and what its writes leave about it.
//!
//! It demands that a definition is still at the version it was read at, and that the request itself
//! was not carried out before. Both are checked inside the transaction of that write, so nothing can
//! come between the check and the change. What is known of the request by then, its answer if this
//! write gives it and its row of the audit log, is written there as well, so a change is never without
//! them. All of it travels with the task that handles the request ([`Guard::around`]) instead of
//! through every method of the store: a new kind of request is guarded without a line of its own.
//! The number of that row is taken before the change, so that what is changed can name it as its cause.
//! Preparations, such as the bytes of an upload, are written outside of it.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use futures::future::BoxFuture;

use crate::OpenDatabase;
use crate::error::Error;
use crate::idempotency::{KeptAnswer, RequestMark};
use crate::tx::Tx;
use crate::versions::{self, Definition, Expected};
use crate::writer::{Job, Ran};

tokio::task_local! {
    static CURRENT: Guard;
    static CALL: (&'static str, &'static str);
}

/// Runs `work`, a call of `method` of `facade`; its writes are put down to that call where nothing nearer to them
/// is known.
pub async fn within_call<F: Future>(
    facade: &'static str,
    method: &'static str,
    work: F,
) -> F::Output {
    CALL.scope((facade, method), work).await
}

/// The call in which the running task is.
pub(crate) fn running_call() -> Option<(&'static str, &'static str)> {
    CALL.try_with(|call| *call).ok()
}

/// The demands of one request. Clones are the same guard.
#[derive(Clone, Default)]
pub struct Guard {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    about: OnceLock<About>,
    once: OnceLock<Once>,
    row: OnceLock<Box<dyn RequestRow>>,
    answering: Mutex<Option<Answering>>,
    state: Mutex<State>,
}

/// The definition that the request is about.
struct About {
    definition: Definition,
    expected: Option<Expected>,
    /// The answer shows it, with its version.
    shown: bool,
}

struct Once {
    mark: RequestMark,
    keeps_answer: bool,
}

/// Makes the answer to the request of what its write returned; none of what another returned.
type Answering = Box<dyn Fn(&dyn Any) -> Option<KeptAnswer> + Send + Sync>;

/// A row about the request that is written with its changes.
pub trait RequestRow: Send + Sync {
    /// What changes come from that are made with the row of this id.
    fn cause(&self, id: i64) -> String;

    /// Writes it with this id, or, where it `is_there` already, what the request has come to since.
    /// Without a result its end is not known yet.
    fn write<'t>(
        &'t self,
        tx: &'t mut Tx,
        id: i64,
        is_there: bool,
        result: Option<&'t str>,
    ) -> BoxFuture<'t, Result<(), Error>>;
}

/// How far the request is, as the last job left it and as it is durable.
#[derive(Default)]
struct State {
    now: Progress,
    durable: Progress,
}

#[derive(Clone, Default)]
struct Progress {
    /// A job has met the demands; later ones of the request need not.
    met: bool,
    version: u64,
    row: Option<i64>,
    /// What the rows say that the request has come to.
    said: Option<String>,
}

impl Guard {
    /// Demands that `definition` is at an expected version, and reports the version it has after
    /// each write. Without `expected` any version will do. An answer that shows the definition is kept
    /// with its tag.
    #[must_use]
    pub fn about(self, definition: Definition, expected: Option<Expected>, shown: bool) -> Self {
        // A guard gets each demand when it is made; a second one changes nothing.
        let _ = self.inner.about.set(About {
            definition,
            expected,
            shown,
        });
        self
    }

    /// Demands that the request was not carried out before, and remembers it, with its answer if that
    /// may be kept.
    #[must_use]
    pub fn once(self, mark: RequestMark, keeps_answer: bool) -> Self {
        let _ = self.inner.once.set(Once { mark, keeps_answer });
        self
    }

    /// Leaves a row about the request with its changes.
    #[must_use]
    pub fn leaving(self, row: impl RequestRow + 'static) -> Self {
        let _ = self.inner.row.set(Box::new(row));
        self
    }

    /// Runs `request`; writes of its task, though not of tasks it spawns, meet the demands.
    pub async fn around<F: Future>(&self, request: F) -> F::Output {
        CURRENT.scope(self.clone(), request).await
    }

    /// Runs `write`, the last of the running request, whose answer is made of the `T` it returns; so it
    /// is known in that write's own transaction.
    pub async fn answering<T, F>(
        answer: impl Fn(&T) -> Option<KeptAnswer> + Send + Sync + 'static,
        write: F,
    ) -> F::Output
    where
        T: 'static,
        F: Future,
    {
        let Some(guard) = Self::current() else {
            return write.await;
        };
        let answering: Answering = Box::new(move |result| answer(result.downcast_ref::<T>()?));
        *lock(&guard.inner.answering) = Some(answering);
        let result = write.await;
        *lock(&guard.inner.answering) = None;
        result
    }

    /// Whether something was written and committed.
    pub fn written(&self) -> bool {
        lock(&self.inner.state).durable.met
    }

    /// What the request has come to, as it was written with its last change.
    pub fn said(&self) -> Option<String> {
        lock(&self.inner.state).durable.said.clone()
    }

    /// The definition's version after the last write; none when nothing was written or no
    /// definition was named.
    pub fn version(&self) -> Option<u64> {
        let durable = &lock(&self.inner.state).durable;
        (durable.met && self.inner.about.get().is_some()).then_some(durable.version)
    }

    /// The guard of the running task.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Guard::clone).ok()
    }

    /// The number of the request's row, written or to be written, which the work of a job names as its cause.
    fn number(&self, tx: &mut Tx) -> Option<i64> {
        let row = self.inner.row.get()?;
        let written = lock(&self.inner.state).now.row;
        let id = written.unwrap_or_else(|| tx.next_id());
        tx.cause = row.cause(id);
        Some(id)
    }

    /// Before the work of a job.
    async fn before(&self, tx: &mut Tx) -> Result<(), Error> {
        if lock(&self.inner.state).now.met {
            return Ok(());
        }
        if let Some(about) = self.inner.about.get()
            && let Some(expected) = &about.expected
        {
            let definition = &about.definition;
            let found = versions::current(tx, definition).await?;
            if !expected.holds(found) {
                return Err(Error::Changed {
                    definition: definition.to_string(),
                    found,
                });
            }
        }
        match self.inner.once.get() {
            Some(once) => once.mark.insert(tx).await,
            None => Ok(()),
        }
    }

    /// The answer to the request, if this is what its last write returned.
    fn answer(&self, result: &dyn Any) -> Option<KeptAnswer> {
        lock(&self.inner.answering)
            .as_ref()
            .and_then(|answering| answering(result))
    }

    /// After the work of a job that went well. Each write of a request says anew what the request has
    /// come to: so one of several that is not the last takes back what an earlier one said.
    async fn after(
        &self,
        tx: &mut Tx,
        number: Option<i64>,
        mut answer: Option<KeptAnswer>,
    ) -> Result<(), Error> {
        let before = lock(&self.inner.state).now.clone();
        let mut version = 0;
        if let Some(about) = self.inner.about.get() {
            version = versions::current(tx, &about.definition).await?;
            if let (Some(answer), true) = (&mut answer, about.shown) {
                answer.etag = versions::version_tag(version);
            }
        }
        let said = answer.as_ref().map(|answer| answer.status.to_string());
        if answer.is_some() || before.said.is_some() {
            self.keep(tx, answer.unwrap_or_default()).await?;
        }
        if let (Some(row), Some(id)) = (self.inner.row.get(), number) {
            let is_there = before.row.is_some();
            row.write(tx, id, is_there, said.as_deref()).await?;
        }
        lock(&self.inner.state).now = Progress {
            met: true,
            version,
            row: number,
            said,
        };
        Ok(())
    }

    /// Once the job is durable, or is not.
    fn ended(&self, durable: bool) {
        let state = &mut *lock(&self.inner.state);
        if durable {
            state.durable = state.now.clone();
        } else {
            state.now = state.durable.clone();
        }
    }

    async fn keep(&self, tx: &mut Tx, answer: KeptAnswer) -> Result<(), Error> {
        match self.inner.once.get() {
            Some(once) if once.keeps_answer => once.mark.keep(tx, answer).await,
            _ => Ok(()),
        }
    }
}

impl OpenDatabase {
    /// Writes what a request that changed something has come to, where its last write could not say
    /// it: its result and, if that is to be kept, its answer.
    pub async fn finish(
        &self,
        guard: &Guard,
        result: String,
        answer: Option<KeptAnswer>,
    ) -> Result<(), Error> {
        let guard = guard.clone();
        self.write_aside(move |tx| {
            Box::pin(async move {
                let id = lock(&guard.inner.state).durable.row;
                if let (Some(row), Some(id)) = (guard.inner.row.get(), id) {
                    row.write(tx, id, true, Some(&result)).await?;
                }
                match answer {
                    Some(answer) => guard.keep(tx, answer).await,
                    None => Ok(()),
                }
            })
        })
        .await
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
            let number = self.guard.number(tx);
            let ran = self.job.run(tx).await?;
            if matches!(ran, Ran::Well) {
                let answer = self
                    .job
                    .result()
                    .and_then(|result| self.guard.answer(result));
                self.guard.after(tx, number, answer).await?;
                self.kept = true;
            }
            Ok(ran)
        })
    }

    fn result(&self) -> Option<&dyn Any> {
        self.job.result()
    }

    fn answer(self: Box<Self>, outcome: Result<(), Error>) {
        self.guard.ended(self.kept && outcome.is_ok());
        self.job.answer(outcome);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
