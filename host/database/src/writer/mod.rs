//! What writes. Jobs that arrive while a commit waits for the disk share the next transaction: one
//! sync pays for all of them. A job that fails is rolled back alone; a commit that fails fails every
//! job in it. Nobody is answered before the commit. Who runs it is decided in `turns`.
//!
//! A connection to PostgreSQL may be lost at any moment. What was not begun is begun again over
//! a new one; what had run is answered as refused, since a job runs once; and of a commit whose
//! answer was lost the server is asked what became of it.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::changes::{Batch, Switchboard};
use crate::error::{Error, Failure};
use crate::guard;
use crate::measure::{COUNTS, SECONDS, Spread};
use crate::options::Options;
use crate::serving;
use crate::session::{self, Probe, Session};
use crate::tx::{self, Tx};

mod turns;

use turns::Waiting;
pub(crate) use turns::{ROOM, Turns};

/// Jobs of one transaction at most, which bounds how long the first of them waits.
const BATCH: usize = 256;

/// How long a lost server is asked what became of a commit: a restart takes less.
const OUTCOME: Duration = Duration::from_secs(15);
const ASK_AGAIN: Duration = Duration::from_millis(250);
/// How long saying goodbye may take.
const FAREWELL: Duration = Duration::from_secs(3);

/// How a job went.
pub(crate) enum Ran {
    /// What it did is to be kept.
    Well,
    /// It failed by itself and answers with its own error, which may have been the database's.
    Badly(Option<Error>),
}

/// A typed piece of work, its type hidden from the writer.
pub(crate) trait Job: Send {
    /// Fails when the job was not its author's to run.
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<Ran, Error>>;
    /// What it returned, if it went well.
    fn result(&self) -> Option<&dyn Any>;
    fn answer(self: Box<Self>, outcome: Result<(), Error>);
}

pub(crate) struct Work<T, E, F> {
    work: Option<F>,
    call: Option<(&'static str, &'static str)>,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> Work<T, E, F> {
    pub(crate) fn new(work: F) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        (
            Self {
                work: Some(work),
                call: guard::running_call(),
                result: None,
                reply,
            },
            answer,
        )
    }
}

impl<T, E, F> Job for Work<T, E, F>
where
    T: Send + 'static,
    E: Failure,
    F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
{
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Result<Ran, Error>> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return Ok(Ran::Well);
            };
            tx.call = self.call;
            Ok(match self.result.insert(work(tx).await) {
                Ok(_) => Ran::Well,
                Err(error) => Ran::Badly(error.database().cloned()),
            })
        })
    }

    fn result(&self) -> Option<&dyn Any> {
        match &self.result {
            Some(Ok(value)) => Some(value),
            _ => None,
        }
    }

    fn answer(self: Box<Self>, outcome: Result<(), Error>) {
        let Work { result, reply, .. } = *self;
        let answer = match (result, outcome) {
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error.into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(E::from(Error::Internal {
                message: "a job had no result".to_owned(),
            })),
        };
        // Nobody may wait any more: the caller was cancelled, its change stands all the same.
        let _ = reply.send(answer);
    }
}

/// Numbers for the report.
pub(crate) struct Counters {
    pub commits: AtomicU64,
    pub jobs: AtomicU64,
    pub largest_batch: AtomicU64,
    /// Microseconds that the last commit took.
    pub last_commit: AtomicU64,
    pub commit_seconds: Spread,
    pub write_seconds: Spread,
    pub batch_jobs: Spread,
    pub lag_seconds: Spread,
    /// Place in the change log of the last change written here.
    pub written: AtomicI64,
}

impl Counters {
    pub(crate) fn new(written: i64) -> Self {
        Self {
            commits: AtomicU64::new(0),
            jobs: AtomicU64::new(0),
            largest_batch: AtomicU64::new(0),
            last_commit: AtomicU64::new(0),
            commit_seconds: Spread::new(SECONDS),
            write_seconds: Spread::new(SECONDS),
            batch_jobs: Spread::new(COUNTS),
            lag_seconds: Spread::new(SECONDS),
            written: AtomicI64::new(written),
        }
    }
}

/// What the writer needs to work and to reconnect.
pub(crate) struct Writer {
    pub options: Options,
    pub probe: Arc<Probe>,
    pub counters: Arc<Counters>,
    pub switchboard: Arc<Switchboard>,
}

impl Writer {
    /// Runs what waits, with what arrives meanwhile, as one batch, or as several when the first
    /// could not be finished. `tx` is the transaction's holder, none when the connection was lost.
    async fn turn(&self, tx: &mut Option<Tx>, waiting: &Waiting) {
        let mut jobs = waiting.take(BATCH);
        while !jobs.is_empty() {
            *tx = self.batch(tx.take(), &mut jobs, waiting).await;
        }
    }

    /// Says goodbye to whoever serves from this database as well.
    async fn end(&self, tx: &mut Option<Tx>) {
        if let Some(mut tx) = tx.take() {
            // The connection's end says the same if this fails.
            let _ = tokio::time::timeout(FAREWELL, serving::end(&mut tx.db)).await;
        }
    }

    /// Runs one batch; the transaction's holder again, unless the connection must be replaced.
    /// At least one job is answered; those left waiting had not begun.
    async fn batch(
        &self,
        tx: Option<Tx>,
        jobs: &mut VecDeque<Box<dyn Job>>,
        waiting: &Waiting,
    ) -> Option<Tx> {
        let mut tx = match self.begin(tx).await {
            Ok(tx) => tx,
            Err(error) => {
                tracing::warn!(%error, jobs = jobs.len(), "a write transaction cannot begin");
                for job in jobs.drain(..) {
                    job.answer(Err(error.clone()));
                }
                return None;
            }
        };
        let mut done: Vec<(Box<dyn Job>, Result<(), Error>)> = Vec::new();
        let mut spoiled = None;
        while spoiled.is_none() {
            jobs.append(&mut waiting.take(BATCH.saturating_sub(done.len() + jobs.len())));
            let Some(mut job) = jobs.pop_front() else {
                break;
            };
            let result = match self.job(&mut tx, job.as_mut()).await {
                Ok(result) => result,
                Err(error) => {
                    spoiled = Some(error.clone());
                    Err(error)
                }
            };
            done.push((job, result));
        }
        let outcome = match spoiled {
            Some(error) => Err(error),
            None => self.commit(tx).await,
        };
        match outcome {
            Ok(tx) => {
                self.counters.commits.fetch_add(1, Ordering::Relaxed);
                self.counters
                    .jobs
                    .fetch_add(done.len() as u64, Ordering::Relaxed);
                self.counters
                    .largest_batch
                    .fetch_max(done.len() as u64, Ordering::Relaxed);
                self.counters.batch_jobs.add(done.len() as f64);
                for (job, result) in done {
                    job.answer(result);
                }
                Some(tx)
            }
            // The connection's state is not known any more. Dropping it rolls back; the next
            // batch connects anew.
            Err(error) => {
                tracing::warn!(%error, jobs = done.len(), "a write transaction failed");
                for (job, result) in done {
                    job.answer(Err(result.err().unwrap_or_else(|| error.clone())));
                }
                None
            }
        }
    }

    /// Begins a transaction, over a new connection if the old one was lost.
    async fn begin(&self, tx: Option<Tx>) -> Result<Tx, Error> {
        if let Some(mut tx) = tx {
            match tx.begin_batch().await {
                Ok(()) => return Ok(tx),
                Err(Error::Unavailable { message }) => {
                    tracing::info!(message, "the database is connected to anew");
                }
                Err(error) => return Err(error),
            }
        }
        let mut tx = self.connect().await?;
        tx.begin_batch().await?;
        Ok(tx)
    }

    fn holder(&self, session: Session) -> Tx {
        Tx::new(session, self.options.namespaces, self.options.server_time)
    }

    async fn connect(&self) -> Result<Tx, Error> {
        let mut session = session::writer(&self.options.database, &self.probe).await?;
        serving::join(&mut session).await?;
        Ok(self.holder(session))
    }

    /// Commits, and tells what changed.
    async fn commit(&self, mut tx: Tx) -> Result<Tx, Error> {
        let began = self.probe.clock.monotonic();
        let now = self.now();
        let touched = tx.finish_batch(now).await?;
        let begun = tx.saved_id();
        let last_id = tx.last_id();
        if !touched.is_empty() {
            self.options.listener.committing(&touched);
        }
        if let Err(error) = tx.commit_batch(&touched).await {
            tx = self.look_after(tx, error).await?;
        }
        let took = self.probe.clock.monotonic().saturating_sub(began);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.counters.last_commit.store(micros, Ordering::Relaxed);
        self.counters.commit_seconds.add_time(took);
        if !touched.is_empty() {
            self.counters.written.store(last_id, Ordering::Relaxed);
            self.options.listener.committed(&touched, last_id);
            self.switchboard.hand_over(Batch {
                begun,
                last: last_id,
                time: now,
                touched,
            });
        }
        Ok(tx)
    }

    /// After a commit that failed with `error`: the error, or, if the commit stands and only its
    /// answer was lost, a new connection.
    async fn look_after(&self, tx: Tx, error: Error) -> Result<Tx, Error> {
        let (Error::Unavailable { message }, Some(number)) = (&error, tx.number()) else {
            return Err(error);
        };
        let (number, message) = (number.to_owned(), message.clone());
        // The connection ends first: the server may hold the transaction open for it.
        drop(tx);
        let asked = async {
            loop {
                let committed = async {
                    let mut tx = self.connect().await?;
                    let committed = tx::was_committed(&mut tx.db, &number).await?;
                    Ok(committed.then_some(tx))
                };
                match committed.await {
                    Err(Error::Unavailable { .. }) => tokio::time::sleep(ASK_AGAIN).await,
                    decided => return decided,
                }
            }
        };
        match tokio::time::timeout(OUTCOME, asked).await {
            Ok(Ok(Some(tx))) => Ok(tx),
            Ok(Ok(None)) => Err(error),
            Ok(Err(_)) | Err(_) => Err(Error::Undecided { message }),
        }
    }

    /// Runs one job. The inner result is the job's own; the outer error spoils the batch.
    async fn job(&self, tx: &mut Tx, job: &mut dyn Job) -> Result<Result<(), Error>, Error> {
        tx.begin_job(self.now()).await?;
        let result = match AssertUnwindSafe(job.run(tx)).catch_unwind().await {
            Ok(result) => result,
            Err(_) => {
                return Err(Error::Internal {
                    message: "a store job panicked".to_owned(),
                });
            }
        };
        let (outcome, cause) = match result {
            Ok(Ran::Well) => {
                tx.keep_job();
                return Ok(Ok(()));
            }
            Ok(Ran::Badly(cause)) => (Ok(()), cause),
            Err(error) => (Err(error.clone()), Some(error)),
        };
        match tx.drop_job().await {
            Ok(()) => Ok(outcome),
            // SQLite ends the whole transaction by itself when the disk is full; the job's
            // error says more than the missing savepoint.
            Err(rollback) => Err(cause.filter(Error::spoils_transaction).unwrap_or(rollback)),
        }
    }

    fn now(&self) -> i64 {
        self.probe.clock.now().as_microsecond()
    }
}
