//! The change stream: committed changes, in commit order, to whoever subscribed to their keys.
//!
//! Every commit of the writer appends to the change log within its own transaction. The
//! dispatcher ([`ChangeStream::run`]) goes on from its cursor, with what the writer hands it or
//! reading the log ([`fresh`]), leaves each change with the subscribers of its key, and moves the
//! cursor past it. It is woken by the writer of this process and, on PostgreSQL, by those of
//! others; it never polls. A subscriber that
//! does not come for its changes costs memory only per distinct key, and loses none of them.
//!
//! Subscribe first, read the state after: what is committed in between is then in either or in
//! both, never in neither.

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::clock::timeout;
use sqlx::Executor;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::options::Database;
use crate::session::{self, Session};
use crate::tx::Touched;
use crate::{OpenDatabase, params};

mod fresh;
mod interest;
mod since;
mod subscription;
mod switchboard;

pub(crate) use fresh::Batch;
use fresh::Next;
pub use interest::Interest;
pub use since::Since;
pub use subscription::Subscription;
pub(crate) use switchboard::Switchboard;

type Result<T> = std::result::Result<T, Error>;

/// One changed key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Place in the change log; later is greater.
    pub position: i64,
    /// The model's UUID.
    pub model: String,
    pub namespace: &'static str,
    pub key: String,
}

/// Rows read from the change log at once.
const PAGE: i64 = 1_000;
/// The log is pruned after so many changes, or so long after the last pruning.
const PRUNE_AFTER: u64 = 10_000;
const PRUNE_EVERY: Duration = Duration::from_secs(60);
/// A controller that has not been seen for so long does not hold back the pruning any more. If
/// it lives after all, it finds that it missed changes and ends its subscriptions.
const READER_LOST: Duration = Duration::from_secs(600);
/// A connection that listens and has heard nothing for so long is asked for a sign of life, and
/// given as long to answer.
const QUIET: Duration = Duration::from_secs(10);

/// The stream of one database. Clones are the same stream.
#[derive(Clone)]
pub struct ChangeStream {
    database: OpenDatabase,
}

impl ChangeStream {
    pub(crate) fn new(database: OpenDatabase) -> Self {
        Self { database }
    }

    /// Starts to collect what `interest` names. Delivery needs a running dispatcher.
    pub fn subscribe(&self, interest: Interest) -> Subscription {
        self.board().subscribe(interest)
    }

    /// How far the change log has been handed out.
    pub fn position(&self) -> i64 {
        self.board().position()
    }

    /// The dispatcher. Ends when `stop` is cancelled or the store closes; run again it goes on
    /// where it ended. A second one waits until the first is gone.
    pub async fn run(&self, stop: CancellationToken) -> Result<()> {
        let _turn = tokio::select! {
            biased;
            () = stop.cancelled() => return Ok(()),
            turn = self.board().turn.lock() => turn,
        };
        let _running = self.board().running();
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(()),
            ended = self.dispatch_all() => ended,
            () = self.listen() => Ok(()),
        }
    }

    /// Whether the dispatcher runs.
    pub fn is_running(&self) -> bool {
        self.board().is_running()
    }

    fn board(&self) -> &Arc<Switchboard> {
        &self.database.inner.switchboard
    }

    async fn dispatch_all(&self) -> Result<()> {
        let clock = self.database.clock();
        let mut pruned_at = clock.monotonic();
        let mut looked_at = clock.monotonic();
        let mut dispatched: u64 = 0;
        loop {
            if self.board().is_closed() {
                return Err(Error::Stopped);
            }
            if clock.monotonic().saturating_sub(looked_at) > READER_LOST / 2 {
                self.resume_after_silence().await?;
            }
            loop {
                let count = self.dispatch_page().await?;
                dispatched += count;
                if count == 0 {
                    break;
                }
            }
            looked_at = clock.monotonic();
            let since_pruning = clock.monotonic().saturating_sub(pruned_at);
            if dispatched >= PRUNE_AFTER || (dispatched > 0 && since_pruning >= PRUNE_EVERY) {
                self.prune().await?;
                pruned_at = clock.monotonic();
                dispatched = 0;
            }
            self.board().committed.notified().await;
        }
    }

    /// Hands out the next changes; how many there were.
    pub async fn dispatch_page(&self) -> Result<u64> {
        let batch = match self.board().next() {
            Next::Batch(batch) => batch,
            Next::Log => return self.dispatch_rows().await,
            Next::End => return Ok(0),
        };
        let (position, time) = (self.board().position(), batch.time);
        let mut count = 0;
        for (place, touched) in batch.changes().filter(|(place, _)| *place > position) {
            let Touched {
                model,
                namespace,
                key,
            } = touched;
            let change = Change {
                position: place,
                model,
                namespace,
                key,
            };
            self.dispatch(place, time, Some(change));
            count += 1;
        }
        Ok(count)
    }

    async fn dispatch_rows(&self) -> Result<u64> {
        let sql = "SELECT id, model_uuid, namespace, key, time FROM change_log WHERE id > $1 ORDER BY id LIMIT $2";
        let mut db = self.database.glance().await?;
        let rows = db
            .fetch(sql, params![self.board().position(), PAGE])
            .await?;
        drop(db);
        for row in &rows {
            let position = row.int(0)?;
            // A namespace that only newer programs know has no subscriber here.
            let change = match (self.database.inner.options.namespaces.known)(row.str(2)?) {
                Some(namespace) => Some(Change {
                    position,
                    model: row.text(1)?,
                    namespace,
                    key: row.text(3)?,
                }),
                None => None,
            };
            self.dispatch(position, row.int(4)?, change);
        }
        Ok(rows.len() as u64)
    }

    fn dispatch(&self, position: i64, time: i64, change: Option<Change>) {
        let behind = u64::try_from(self.database.now() - time).unwrap_or(0);
        let lag = &self.database.inner.counters.lag_seconds;
        lag.add_time(Duration::from_micros(behind));
        if let Some(change) = change {
            self.database.inner.options.listener.heard(&change);
            self.board().dispatch(&change);
        }
        self.board().set_position(position);
    }

    /// After a long silence others may have pruned what this reader has not read.
    async fn resume_after_silence(&self) -> Result<()> {
        let mut db = self.database.glance().await?;
        let pruned = pruned_to(&mut db).await?;
        if pruned > self.board().position() {
            self.board().end_all();
            self.board().set_position(pruned);
        }
        Ok(())
    }

    /// Removes what every living reader has read, but for the tail.
    pub async fn prune(&self) -> Result<()> {
        let (reader, position) = (self.database.inner.reader.clone(), self.board().position());
        let tail = i64::from(self.database.inner.options.change_tail);
        self.database
            .write(move |tx| {
                Box::pin(async move {
                    let lost = i64::try_from(READER_LOST.as_micros()).unwrap_or(i64::MAX);
                    let mark = "INSERT INTO change_cursor (reader, position, seen_at) VALUES ($1, $2, $3)
                        ON CONFLICT (reader) DO UPDATE SET position = excluded.position, seen_at = excluded.seen_at";
                    tx.db.execute(mark, params![reader, position, tx.now]).await?;
                    tx.db.execute("DELETE FROM change_cursor WHERE seen_at < $1", params![tx.now - lost]).await?;
                    let slowest = tx.db.fetch_optional("SELECT MIN(position) FROM change_cursor", vec![]).await?;
                    let slowest = slowest.map_or(Ok(0), |row| row.int(0))?.saturating_sub(tail).max(0);
                    tx.db.execute("DELETE FROM change_log WHERE id <= $1", params![slowest]).await?;
                    let note = "INSERT INTO sequence (model_uuid, name, value) VALUES ('', 'change-pruned', $1)
                        ON CONFLICT (model_uuid, name) DO UPDATE SET value = excluded.value";
                    tx.db.execute(note, params![slowest]).await.map(|_| ())
                })
            })
            .await
    }

    /// Turns notifications of other controllers into wakes. Never ends.
    async fn listen(&self) {
        let Database::Postgres { url } = &self.database.inner.options.database else {
            return std::future::pending().await;
        };
        let clock = self.database.clock();
        loop {
            if let Err(error) = self.listen_to(url).await {
                tracing::debug!(%error, "notifications of other controllers are not heard");
            }
            clock.sleep(Duration::from_secs(1)).await;
        }
    }

    /// Listens with one connection until it is lost. A connection that only listens never
    /// notices by itself that the server is gone, so a quiet one is asked for a sign of life.
    async fn listen_to(&self, url: &str) -> Result<()> {
        let clock = self.database.clock();
        let mut listener = session::listener(url).await?;
        listener.listen("periapt_changes").await?;
        self.board().wake();
        loop {
            match timeout(clock.as_ref(), QUIET, listener.try_recv()).await {
                // Also after a lost connection, which `try_recv` answers with none: there may
                // have been notifications in the gap.
                Some(heard) => {
                    heard?;
                    self.board().wake();
                }
                None => {
                    let asked = listener.execute(sqlx::raw_sql("SELECT 1"));
                    let answered = tokio::time::timeout(QUIET, asked).await;
                    answered.map_err(|_| Error::unavailable("no sign of life"))??;
                }
            }
        }
    }
}

/// What the change log still holds.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    /// Nothing after this position is missing.
    pub after: i64,
    /// How far the log had come.
    pub position: i64,
    /// Ascending.
    pub changes: Vec<Change>,
}

impl OpenDatabase {
    /// The last changes, `limit` of them at most, without those of one namespace.
    pub async fn recent_changes(&self, limit: u64, without: &'static str) -> Result<Recent> {
        let mut db = self.snapshot().await?;
        let mut recent = Recent {
            after: pruned_to(&mut db).await?,
            position: position(&mut db).await?,
            changes: Vec::new(),
        };
        let sql = "SELECT id, model_uuid, namespace, key FROM change_log
            WHERE id > $1 AND namespace <> $3 ORDER BY id DESC LIMIT $2";
        let rows = db.fetch(sql, params![recent.after, limit, without]).await?;
        for row in &rows {
            if let Some(namespace) = (self.inner.options.namespaces.known)(row.str(2)?) {
                recent.changes.push(Change {
                    position: row.int(0)?,
                    model: row.text(1)?,
                    namespace,
                    key: row.text(3)?,
                });
            }
        }
        if let Some(oldest) = rows.last().filter(|_| rows.len() as u64 == limit) {
            recent.after = oldest.int(0)?;
            recent
                .changes
                .retain(|change| change.position > recent.after);
        }
        recent.changes.reverse();
        Ok(recent)
    }
}

/// How far the log has come: the newest position there can be.
pub async fn position(db: &mut Session) -> Result<i64> {
    let sql = "SELECT value FROM sequence WHERE model_uuid = '' AND name = 'row'";
    Ok(db.scalar(sql, vec![]).await?.unwrap_or_default())
}

async fn pruned_to(db: &mut Session) -> Result<i64> {
    let sql = "SELECT value FROM sequence WHERE model_uuid = '' AND name = 'change-pruned'";
    db.fetch_optional(sql, vec![])
        .await?
        .map_or(Ok(0), |row| row.int(0))
}
