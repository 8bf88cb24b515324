//! The memory of a controller: what models hold, in SQLite or PostgreSQL.
//!
//! The store owns the schema, the typed transactions behind every API call, the change log with
//! the stream that wakes watchers, the lease rows and the blobs. It decides nothing by itself:
//! every rule it applies is a function of `periapt_model`.
//!
//! * **One database** for the controller and all its models, a `model_uuid` in every row, so
//!   that all models share the sync of a commit.
//! * **One writer.** Writes are jobs of a single task; those that wait together are committed
//!   together and answered after the sync. Acknowledged means durable.
//! * **Snapshots for reading.** Reads run beside the writer, each in one snapshot.
//! * **One log of changes.** Every commit appends what it changed, in commit order; the
//!   [`ChangeStream`] hands it, coalesced, to whoever subscribed to the keys.
//! * **One set of statements** for both databases.
//!
//! It never opens a socket to an agent, starts no worker, and keeps no copy of a model in
//! memory: a restart has nothing to rebuild.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use periapt_engine::SharedClock;
use periapt_model::ModelUuid;
use serde_json::json;
use tokio::sync::{mpsc, oneshot};

mod access;
mod agents;
mod applications;
mod assignments;
mod audit;
pub mod backup;
mod blobs;
mod changes;
mod charms;
mod cleanup;
mod clouds;
mod config;
mod controller_config;
mod db;
mod deploy;
mod entities;
mod environ;
mod error;
mod full_status;
mod guard;
mod history;
mod hook_runs;
mod hooks;
mod idempotency;
pub mod lease;
mod life;
mod log_forward;
mod logs;
mod machines;
mod measure;
mod model_config;
mod models;
mod nodes;
mod options;
mod relations;
mod removal;
mod serving;
mod staging;
mod status;
mod stopping;
mod tokens;
mod tx;
mod undertaker;
mod uniter;
mod units;
mod users;
mod versions;
mod waiting;
mod writer;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use access::ModelStanding;
pub use audit::{AUDIT_AGE, AUDIT_ROWS};
pub use changes::{Change, ChangeStream, Interest, Recent, Subscription, namespace};
pub use entities::{Cause, EntityKind, Everything, Found, Present, Reach, Wanted, WantedOfModel};
pub use error::StoreError;
pub use full_status::Presence;
pub use guard::Guard;
pub use hooks::HookCommit;
pub use idempotency::{KeptAnswer, REMEMBERED, Remembered, RequestMark};
pub use logs::LogPage;
pub use measure::{Buckets, COUNTS, Measures, SECONDS, Spread};
pub use model_config::Setter;
pub use nodes::{KnownNode, NODE_LOST};
pub use options::{Database, LeaseTime, SlowQuery, SlowStatement, StoreOptions};
pub use staging::Staging;
pub use tokens::{IssuedToken, KnownToken, NewToken, TokenKind};
pub use users::PasswordCheck;
pub use versions::{Definition, Expected};

use changes::Switchboard;
use db::{Pools, Probe, Session};
use lease::Wakes;
use tx::Tx;
use writer::{Counters, Message, Work, Writer};

type Result<T> = std::result::Result<T, StoreError>;

/// The open store. Clones are the same store; when the last is gone its writer ends after the
/// jobs it already has.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    options: StoreOptions,
    pools: Pools,
    probe: Arc<Probe>,
    writer: mpsc::Sender<Message>,
    counters: Arc<Counters>,
    switchboard: Arc<Switchboard>,
    wakes: Arc<Wakes>,
    database_time: bool,
    /// This store among the readers of the change log.
    reader: String,
    /// Which models texts name.
    names: models::ModelNames,
    /// Lines of log written since the store opened.
    log_lines: AtomicU64,
    /// Audit records written since the store opened.
    audit_rows: AtomicU64,
}

/// How long closing waits for a database server.
const CLOSE: Duration = Duration::from_secs(10);

/// Jobs that may wait for the writer before callers wait to hand theirs over.
const QUEUE: usize = 1024;

impl Store {
    /// Opens the database, makes it when it is a file that does not exist, and brings its
    /// schema up to date.
    pub async fn open(options: StoreOptions) -> Result<Store> {
        let probe = Probe::new(Arc::clone(&options.clock), options.slow_query.clone());
        let now = options.clock.now().as_microsecond();
        if options.existing {
            require_file(&options.database)?;
        }
        let mut session = db::writer(&options.database, &probe).await?;
        if options.existing && db::schema_version(&mut session).await? == 0 {
            return Err(no_data(&options.database));
        }
        db::migrate(&mut session, now).await?;
        blobs::drop_orphans(&mut session).await?;
        let database_time = session.is_postgres() && options.lease_time == LeaseTime::Auto;
        if serving::begin_alone(&mut session).await? {
            let now = if database_time {
                tx::database_now(&mut session).await?
            } else {
                now
            };
            lease::rows::hold_back(&mut session, now).await?;
            serving::let_others_in(&mut session).await?;
        }
        let row = session
            .fetch_optional(
                "SELECT value FROM sequence WHERE model_uuid = '' AND name = 'row'",
                vec![],
            )
            .await?;
        let position = row.map_or(Ok(0), |row| row.int(0))?;

        let switchboard = Arc::new(Switchboard::new(position));
        let wakes = Arc::new(Wakes::default());
        let counters = Arc::new(Counters::new(position));
        let (sender, inbox) = mpsc::channel(QUEUE);
        let writer = Writer {
            database: options.database.clone(),
            probe: Arc::clone(&probe),
            counters: Arc::clone(&counters),
            database_time,
            committed: {
                let (switchboard, wakes) = (Arc::clone(&switchboard), Arc::clone(&wakes));
                Box::new(move |touched, position| {
                    switchboard.note(touched, position);
                    switchboard.wake();
                    wakes.wake(touched);
                })
            },
        };
        let pools = Pools::open(&options)?;
        writer.start(session, inbox)?;
        let inner = Inner {
            options,
            pools,
            probe,
            writer: sender,
            counters,
            switchboard,
            wakes,
            database_time,
            reader: uuid::Uuid::new_v4().to_string(),
            names: models::ModelNames::default(),
            log_lines: AtomicU64::new(0),
            audit_rows: AtomicU64::new(0),
        };
        Ok(Store {
            inner: Arc::new(inner),
        })
    }

    /// Waits until everything handed in is committed, then lets go of the database. Later
    /// calls fail with [`StoreError::Stopped`].
    pub async fn close(&self) {
        let stopped = async {
            let (stopped, done) = oneshot::channel();
            if self.inner.writer.send(Message::Stop(stopped)).await.is_ok() {
                // The writer may have ended before; then it is done as well.
                let _ = done.await;
            }
        };
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

    /// The clock the store was opened with.
    pub fn clock(&self) -> SharedClock {
        Arc::clone(&self.inner.options.clock)
    }

    /// `sqlite` or `postgresql`.
    pub fn database_kind(&self) -> &'static str {
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

    /// Proves that the database can be read and that the writer takes work.
    pub async fn ping(&self) -> Result<()> {
        self.write(|tx| Box::pin(async move { tx.db.fetch("SELECT 1", vec![]).await.map(|_| ()) }))
            .await?;
        self.glance()
            .await?
            .fetch("SELECT 1", vec![])
            .await
            .map(|_| ())
    }

    /// What the store did so far, for the worker report.
    pub fn report(&self) -> serde_json::Value {
        let counters = &self.inner.counters;
        json!({
            "database": self.database_kind(),
            "commits": counters.commits.load(Ordering::Relaxed),
            "jobs": counters.jobs.load(Ordering::Relaxed),
            "largest-batch": counters.largest_batch.load(Ordering::Relaxed),
            "subscriptions": self.inner.switchboard.subscriptions(),
            "position": self.inner.switchboard.position(),
        })
    }

    /// A value that belongs to the controller itself.
    pub async fn controller_value(&self, key: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM controller_value WHERE key = $1";
        let row = self
            .glance()
            .await?
            .fetch_optional(sql, db::params![key])
            .await?;
        row.map(|row| row.text(0)).transpose()
    }

    /// Sets a value that belongs to the controller itself.
    pub async fn set_controller_value(&self, key: &str, value: &str) -> Result<()> {
        let params = db::params![key, value];
        self.write(move |tx| {
            Box::pin(async move {
                let sql = "INSERT INTO controller_value (key, value) VALUES ($1, $2)
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value
                    WHERE controller_value.value <> excluded.value";
                tx.db.execute(sql, params).await.map(|_| ())
            })
        })
        .await
    }

    /// Hands a job to the writer; answered once it is durable. Within a request it meets the
    /// demands of that request.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let Some(guard) = Guard::current() else {
            return self.write_aside(work).await;
        };
        let inside = guard.clone();
        let result = self
            .write_aside(move |tx| {
                Box::pin(async move {
                    inside.before(tx).await?;
                    let result = work(tx).await?;
                    inside.after(tx).await?;
                    Ok(result)
                })
            })
            .await?;
        guard.committed();
        Ok(result)
    }

    /// Hands a job to the writer that is no change a request asked for, only something it needs.
    pub(crate) async fn write_aside<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let (work, answer) = Work::new(work);
        let clock = &self.inner.options.clock;
        let began = clock.monotonic();
        self.inner
            .writer
            .send(Message::Job(Box::new(work)))
            .await
            .map_err(|_| StoreError::Stopped)?;
        let answered = answer.await.map_err(|_| StoreError::Stopped)?;
        let took = clock.monotonic().saturating_sub(began);
        self.inner.counters.write_seconds.add_time(took);
        answered
    }

    /// A session for one reading statement.
    pub(crate) async fn glance(&self) -> Result<Session> {
        self.inner.pools.glance(&self.inner.probe).await
    }

    /// A session whose statements all see the same moment.
    pub(crate) async fn snapshot(&self) -> Result<Session> {
        self.inner.pools.snapshot(&self.inner.probe).await
    }

    pub(crate) fn now(&self) -> i64 {
        self.inner.options.clock.now().as_microsecond()
    }

    /// The time by which leases live, for a reader.
    pub(crate) async fn lease_now(&self, db: &mut Session) -> Result<i64> {
        if self.inner.database_time {
            tx::database_now(db).await
        } else {
            Ok(self.now())
        }
    }
}

/// Fails when a file that should hold a store is not there; opening it would make it.
fn require_file(database: &Database) -> Result<()> {
    match database {
        Database::Sqlite { path } if !path.exists() => Err(no_data(database)),
        _ => Ok(()),
    }
}

fn no_data(database: &Database) -> StoreError {
    StoreError::NoData {
        place: match database {
            Database::Sqlite { path } => path.display().to_string(),
            Database::Postgres { .. } => "the PostgreSQL database".to_owned(),
        },
    }
}

/// Fails unless the model exists; its life otherwise.
pub(crate) async fn require_model(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<periapt_model::Life> {
    db.fetch_optional("SELECT life FROM model WHERE uuid = $1", db::params![model])
        .await?
        .ok_or_else(|| StoreError::not_found("model", model))?
        .parse(0, "life")
}

/// Fails unless the model is there and alive.
pub(crate) async fn require_alive_model(db: &mut Session, model: &ModelUuid) -> Result<()> {
    match require_model(db, model).await? {
        periapt_model::Life::Alive => Ok(()),
        life => Err(StoreError::NotAlive {
            kind: "model",
            name: model.to_string(),
            life,
        }),
    }
}
