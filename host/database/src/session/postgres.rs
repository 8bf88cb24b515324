//! PostgreSQL, asked with a deadline. A server that is gone says nothing, and a network that lost
//! its packets says nothing for a quarter of an hour; so each question waits a bounded time here,
//! and a connection whose answer did not come is closed, never used again.
//!
//! The server is told to do the same ([`settings`]): a transaction whose client fell silent ends
//! by itself and lets go of its locks, so that a process that was stopped or cut off in the middle
//! of one holds up the others for a few seconds and no longer. The deadlines run on the machine's
//! own time, also where a test sets the clock: they are about sockets, not about rules.

use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Executor, PgConnection, PgPool, SqlSafeStr};

use super::Param;
use crate::error::Error;

/// How long the server keeps a transaction whose client asks nothing. The writer asks without a
/// pause, so one that pauses so long is stopped or cut off.
const IDLE_WRITER: Duration = Duration::from_secs(5);
/// The same of a reader, which holds no lock that others wait for.
const IDLE_READER: Duration = Duration::from_secs(60);
/// How long one waits for the writers of other processes: longer than the server needs to end
/// the transaction of one that is gone.
const LOCK: Duration = Duration::from_secs(9);
/// How long a statement may take.
const STATEMENT: Duration = Duration::from_secs(15);
/// How long this side waits for an answer: a little longer than a statement may take, so that a
/// server that is there gives the reason.
pub(super) const ANSWER: Duration = Duration::from_secs(17);
/// The same for a change of the schema or a restored database.
pub(super) const LONG_ANSWER: Duration = Duration::from_secs(600);
/// How long connecting, a sign of life, and ending a transaction may take.
pub(super) const GREETING: Duration = Duration::from_secs(5);

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Writer,
    Reader,
}

/// The server's settings for a session: milliseconds unless a unit is named. The keepalives tell
/// the server of a client that is gone while neither side says anything.
pub(super) fn settings(role: Role) -> Vec<(&'static str, String)> {
    let idle = match role {
        Role::Writer => IDLE_WRITER,
        Role::Reader => IDLE_READER,
    };
    let milliseconds = |time: Duration| time.as_millis().to_string();
    vec![
        ("idle_in_transaction_session_timeout", milliseconds(idle)),
        ("lock_timeout", milliseconds(LOCK)),
        ("statement_timeout", milliseconds(STATEMENT)),
        ("tcp_user_timeout", milliseconds(STATEMENT)),
        ("tcp_keepalives_idle", "10s".to_owned()),
        ("tcp_keepalives_interval", "5s".to_owned()),
        ("tcp_keepalives_count", "3".to_owned()),
    ]
}

enum Held {
    Own(Box<PgConnection>),
    /// Each statement sees a moment of its own, so one may be asked again elsewhere.
    Pooled(PoolConnection<sqlx::Postgres>, PgPool),
    /// Within a transaction that only reads.
    Snapshot(PoolConnection<sqlx::Postgres>),
}

/// A connection. One that owes an answer is closed when dropped, one that reads a snapshot ends
/// it.
pub(crate) struct Postgres {
    /// None only while it is dropped.
    held: Option<Held>,
    /// Everything asked was answered.
    sound: bool,
    answer: Duration,
}

impl Postgres {
    pub(super) fn own(connection: PgConnection) -> Self {
        Self::new(Held::Own(Box::new(connection)))
    }

    pub(super) async fn pooled(pool: &PgPool) -> Result<Self, Error> {
        Ok(Self::new(Held::Pooled(pool.acquire().await?, pool.clone())))
    }

    /// Begins a transaction that only reads; it ends when the connection is dropped.
    pub(super) async fn snapshot(
        connection: PoolConnection<sqlx::Postgres>,
    ) -> Result<Self, Error> {
        let mut snapshot = Self::new(Held::Snapshot(connection));
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        snapshot.batch(begin.to_owned()).await?;
        Ok(snapshot)
    }

    fn new(held: Held) -> Self {
        Self {
            held: Some(held),
            sound: true,
            answer: ANSWER,
        }
    }

    /// How long each answer is waited for.
    pub(super) fn wait_for_answers(&mut self, answer: Duration) {
        self.answer = answer;
    }

    /// The connection, marked as owing an answer until [`Postgres::answered`].
    fn asked(&mut self) -> Result<&mut PgConnection, Error> {
        if !self.sound {
            return Err(Error::unavailable("an earlier answer did not come"));
        }
        self.sound = false;
        match self.held.as_mut() {
            Some(Held::Own(connection)) => Ok(connection),
            Some(Held::Pooled(connection, _) | Held::Snapshot(connection)) => Ok(connection),
            None => Err(Error::Stopped),
        }
    }

    fn answered<T>(
        &mut self,
        outcome: Result<Result<T, sqlx::Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, Error> {
        let outcome = outcome.map_err(|_| no_answer(self.answer))?;
        // Every answer of the server leaves the connection usable, but for those that say that
        // there is none any more; then the next question fails.
        self.sound = match &outcome {
            Ok(_) => true,
            Err(error) => error.as_database_error().is_some(),
        };
        Ok(outcome?)
    }

    /// All rows of a query. A reader whose connection was lost asks once more over another.
    pub(super) async fn fetch(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<PgRow>, Error> {
        let Some(Held::Pooled(_, pool)) = &self.held else {
            return self.fetch_here(sql, params).await;
        };
        let pool = pool.clone();
        match self.fetch_here(sql, params.clone()).await {
            Err(Error::Unavailable { message }) => {
                tracing::debug!(message, "a question is asked again");
                *self = Self::pooled(&pool).await?;
                self.fetch_here(sql, params).await
            }
            answered => answered,
        }
    }

    /// The same, asked once.
    pub(super) async fn fetch_here(
        &mut self,
        sql: impl SqlSafeStr,
        params: Vec<Param>,
    ) -> Result<Vec<PgRow>, Error> {
        let query = bind(sqlx::query(sql), params);
        let outcome = tokio::time::timeout(self.answer, query.fetch_all(self.asked()?)).await;
        self.answered(outcome)
    }

    /// The number of rows that the statement touched.
    pub(super) async fn execute(
        &mut self,
        sql: impl SqlSafeStr,
        params: Vec<Param>,
    ) -> Result<u64, Error> {
        let query = bind(sqlx::query(sql), params);
        let outcome = tokio::time::timeout(self.answer, query.execute(self.asked()?)).await;
        Ok(self.answered(outcome)?.rows_affected())
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&mut self, sql: String) -> Result<(), Error> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql));
        let outcome = tokio::time::timeout(self.answer, self.asked()?.execute(sql)).await;
        self.answered(outcome).map(|_| ())
    }

    /// The same; the last row of them all.
    pub(super) async fn batch_last(&mut self, sql: String) -> Result<Option<PgRow>, Error> {
        let sql = sqlx::raw_sql(AssertSqlSafe(sql));
        let outcome = tokio::time::timeout(self.answer, self.asked()?.fetch_all(sql)).await;
        Ok(self.answered(outcome)?.pop())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        match self.held.take() {
            Some(Held::Pooled(mut connection, _) | Held::Snapshot(mut connection))
                if !self.sound =>
            {
                connection.close_on_drop();
            }
            Some(Held::Snapshot(mut connection)) => {
                tokio::spawn(async move {
                    let ended = connection.execute("ROLLBACK");
                    if !matches!(tokio::time::timeout(GREETING, ended).await, Ok(Ok(_))) {
                        connection.close_on_drop();
                    }
                });
            }
            _ => {}
        }
    }
}

/// What a caller is told when the server said nothing for so long.
pub(super) fn no_answer(time: Duration) -> Error {
    Error::unavailable(format!("no answer for {} s", time.as_secs()))
}

/// Binds the values of a statement.
fn bind<'q>(
    mut query: Query<'q, sqlx::Postgres, PgArguments>,
    params: Vec<Param>,
) -> Query<'q, sqlx::Postgres, PgArguments> {
    for param in params {
        query = match param {
            Param::Int(value) => query.bind(value),
            Param::Text(value) => query.bind(value),
            Param::Bytes(value) => query.bind(value),
        };
    }
    query
}
