//! A database: rows in SQLite or PostgreSQL, with one writer and a log of what changed.
//!
//! It owns how rows are kept and nothing of what they mean. Who opens it brings the schema, the
//! names of what can change and a [`Listener`]; a model is to it no more than a word that stands
//! in front of keys. That keeps the hardest promises of the controller, durability, order and
//! recovery from a lost server, apart from the rules about entities, which change far more often.
//!
//! * **One set of statements** for both databases ([`Session`]).
//! * **One writer.** Writes are jobs that run one after the other; those that wait together are committed
//!   together and answered after the sync. Acknowledged means durable.
//! * **Snapshots for reading.** Reads run beside the writer, each in one snapshot.
//! * **One log of changes.** Every commit appends what it changed, in commit order; the
//!   [`ChangeStream`] hands it, coalesced, to whoever subscribed to the keys.
//! * **What a request demands of its write** is checked in the transaction of that write
//!   ([`Guard`]): a version, or that the request was not carried out before.
//!
//! Beside the tables of whoever opens it, the schema must have those it uses itself: `sequence`,
//! `change_log`, `change_cursor`, `entity_version`, `idempotency`, `blob` and `blob_chunk`.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_engine::SharedClock;
use serde_json::json;
use tokio::sync::oneshot;

mod blobs;
mod changes;
mod error;
mod guard;
mod idempotency;
mod measure;
mod options;
mod serving;
mod session;
mod staging;
mod tx;
mod versions;
mod writer;

use blobs::drop_orphans;
pub use blobs::{CHUNK, drop_blob};
pub use changes::{Change, ChangeStream, Interest, Recent, Since, Subscription, position};
pub use error::{Error, Failure};
pub use guard::{Guard, RequestRow, within_call};
pub use idempotency::{KeptAnswer, REMEMBERED, Remembered, RequestMark};
pub use measure::{Buckets, COUNTS, Measures, SECONDS, Spread};
pub use options::{Database, Listener, Namespaces, Options, SlowQuery, SlowStatement};
pub use session::{
    Cells, Column, Columns, PART, Param, Probe, Row, Select, SelectWhich, Session, Which,
    begin_schema, json, migrate_to, optional, optional_json, optional_word, part_params,
    schema_version, to_json, word, writer,
};
pub use staging::Staging;
pub use tx::{Touched, Tx};
pub use versions::{Definition, Expected, version_tag};

use changes::Switchboard;
use guard::Guarded;
use session::Pools;
use writer::{Counters, Job, Turns, Work, Writer};

/// A database that is open. Clones are the same one; when the last is gone its writer ends after
/// the jobs it already has.
#[derive(Clone)]
pub struct OpenDatabase {
    inner: Arc<Inner>,
}

struct Inner {
    options: Options,
    pools: Pools,
    probe: Arc<Probe>,
    writer: Turns,
    counters: Arc<Counters>,
    switchboard: Arc<Switchboard>,
    /// This process among the readers of the change log.
    reader: String,
}

/// How long closing waits for a database server.
const CLOSE: Duration = Duration::from_secs(10);

impl OpenDatabase {
    /// Opens the database, makes it when it is a file that does not exist, and brings its
    /// schema up to date. `alone` is done, at the time by which leases live, when no other process
    /// serves from it, and before any other can.
    pub async fn open<E, F>(mut options: Options, alone: F) -> Result<Self, E>
    where
        E: From<Error>,
        F: for<'s> FnOnce(&'s mut Session, i64) -> BoxFuture<'s, Result<(), E>>,
    {
        let probe = Probe::new(Arc::clone(&options.clock), options.slow_query.clone());
        let now = options.clock.now().as_microsecond();
        if options.existing {
            require_file(&options.database)?;
        }
        let mut session = session::writer(&options.database, &probe).await?;
        if options.existing && schema_version(&mut session).await? == 0 {
            return Err(no_data(&options.database).into());
        }
        session::migrate(&mut session, options.migrations, now).await?;
        drop_orphans(&mut session).await?;
        options.server_time &= session.is_postgres();
        if serving::begin_alone(&mut session).await? {
            let now = if options.server_time {
                tx::database_now(&mut session).await?
            } else {
                now
            };
            alone(&mut session, now).await?;
            serving::let_others_in(&mut session).await?;
        }
        let position = position(&mut session).await?;

        let switchboard = Arc::new(Switchboard::new(position, !session.is_postgres()));
        let counters = Arc::new(Counters::new(position));
        let pools = Pools::open(&options)?;
        let writer = Writer {
            options: options.clone(),
            probe: Arc::clone(&probe),
            counters: Arc::clone(&counters),
            switchboard: Arc::clone(&switchboard),
        };
        let writer = Turns::start(writer, session)?;
        let inner = Inner {
            options,
            pools,
            probe,
            writer,
            counters,
            switchboard,
            reader: uuid::Uuid::new_v4().to_string(),
        };
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// Waits until everything handed in is committed, then lets go of the database. Later
    /// calls fail with [`Error::Stopped`].
    pub async fn close(&self) {
        let stopped = self.inner.writer.stop();
        match self.inner.options.database {
            Database::Sqlite { .. } => stopped.await,
            // The writer may wait for a server that is gone; it then ends by itself.
            Database::Postgres { .. } => {
                let _ = tokio::time::timeout(CLOSE, stopped).await;
            }
        }
        self.inner.switchboard.close();
        self.inner.pools.close().await;
    }

    /// The stream of committed changes.
    pub fn changes(&self) -> ChangeStream {
        ChangeStream::new(self.clone())
    }

    /// The clock the database was opened with.
    pub fn clock(&self) -> SharedClock {
        Arc::clone(&self.inner.options.clock)
    }

    /// `sqlite` or `postgresql`.
    pub fn kind(&self) -> &'static str {
        match self.inner.options.database {
            Database::Sqlite { .. } => "sqlite",
            Database::Postgres { .. } => "postgresql",
        }
    }

    /// Who hears of slow statements from now on.
    pub fn set_slow_query(&self, slow: Option<SlowQuery>) {
        *self
            .inner
            .probe
            .slow
            .write()
            .unwrap_or_else(PoisonError::into_inner) = slow;
    }

    /// Statements that SQLite planned anew since this was asked last, each of which costs several
    /// times what running it does.
    pub fn take_replanned(&self) -> Vec<String> {
        let replanned = std::mem::take(&mut *self.inner.probe.replanned());
        replanned.into_iter().collect()
    }

    /// Proves that the database can be read and that the writer takes work.
    pub async fn ping(&self) -> Result<(), Error> {
        self.write(|tx| Box::pin(async move { tx.db.fetch("SELECT 1", vec![]).await.map(|_| ()) }))
            .await?;
        self.glance()
            .await?
            .fetch("SELECT 1", vec![])
            .await
            .map(|_| ())
    }

    /// What was done so far, for the worker report.
    pub fn report(&self) -> serde_json::Value {
        let counters = &self.inner.counters;
        json!({
            "database": self.kind(),
            "commits": counters.commits.load(Ordering::Relaxed),
            "jobs": counters.jobs.load(Ordering::Relaxed),
            "largest-batch": counters.largest_batch.load(Ordering::Relaxed),
            "subscriptions": self.inner.switchboard.subscriptions(),
            "position": self.inner.switchboard.position(),
        })
    }

    /// Hands a job to the writer; answered once it is durable. Within a request it meets the
    /// demands of that request.
    pub fn write<T, E, F>(&self, work: F) -> impl Future<Output = Result<T, E>> + Send
    where
        T: Send + 'static,
        E: Failure,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    {
        let (work, answer) = Work::new(work);
        let mut job: Box<dyn Job> = Box::new(work);
        if let Some(guard) = Guard::current() {
            job = Box::new(Guarded::new(guard, job));
        }
        self.answered(job, answer)
    }

    /// Hands a job to the writer that is no change a request asked for, only something it needs.
    pub fn write_aside<T, E, F>(&self, work: F) -> impl Future<Output = Result<T, E>> + Send
    where
        T: Send + 'static,
        E: Failure,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
    {
        let (work, answer) = Work::new(work);
        self.answered(Box::new(work), answer)
    }

    async fn answered<T, E: Failure>(
        &self,
        job: Box<dyn Job>,
        answer: oneshot::Receiver<Result<T, E>>,
    ) -> Result<T, E> {
        let clock = &self.inner.options.clock;
        let began = clock.monotonic();
        self.inner.writer.hand_over(job).await?;
        let answered = answer.await.map_err(|_| Error::Stopped)?;
        let took = clock.monotonic().saturating_sub(began);
        self.inner.counters.write_seconds.add_time(took);
        answered
    }

    /// A session for one reading statement.
    pub async fn glance(&self) -> Result<Session, Error> {
        self.inner.pools.glance(&self.inner.probe).await
    }

    /// A session whose statements all see the same moment.
    pub async fn snapshot(&self) -> Result<Session, Error> {
        self.inner.pools.snapshot(&self.inner.probe).await
    }

    /// Microseconds since the epoch, by the injected clock.
    pub fn now(&self) -> i64 {
        self.inner.options.clock.now().as_microsecond()
    }

    /// The time by which leases live, for a reader.
    pub async fn lease_now(&self, db: &mut Session) -> Result<i64, Error> {
        if self.inner.options.server_time {
            tx::database_now(db).await
        } else {
            Ok(self.now())
        }
    }
}

/// Fails when a file that should hold rows is not there; opening it would make it.
fn require_file(database: &Database) -> Result<(), Error> {
    match database {
        Database::Sqlite { path } if !path.exists() => Err(no_data(database)),
        _ => Ok(()),
    }
}

fn no_data(database: &Database) -> Error {
    Error::NoData {
        place: match database {
            Database::Sqlite { path } => path.display().to_string(),
            Database::Postgres { .. } => "the PostgreSQL database".to_owned(),
        },
    }
}
