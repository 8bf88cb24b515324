//! One way to talk to two databases: the same statements, with `$1` placeholders and the types
//! TEXT, BIGINT and BYTEA, go to SQLite and to PostgreSQL.
//!
//! sqlx's own `Any` driver copies every row through a third representation and knows no typed
//! null; this enum over two drivers, rusqlite and sqlx, costs a page of code and neither. Nothing
//! above this module sees a type of theirs.

use std::sync::{Arc, RwLock};
use std::time::Duration;

use periapt_engine::SharedClock;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Executor, PgConnection, Postgres, Transaction};

use crate::error::StoreError;
use crate::options::{SlowQuery, SlowStatement};

mod connect;
mod params;
mod parts;
mod row;
mod schema;
mod sqlite;

pub(crate) use connect::{Pools, writer};
pub(crate) use params::{Param, params};
pub(crate) use parts::{PART, names, part_params};
pub(crate) use row::{Row, to_json};
pub(crate) use schema::migrate;
use sqlite::Sqlite;

/// A connection in one of its roles.
pub(crate) enum Connection {
    Sqlite(Sqlite),
    Postgres(Box<PgConnection>),
    PostgresPooled(PoolConnection<Postgres>),
    /// A read transaction; dropped, it ends.
    PostgresSnapshot(Transaction<'static, Postgres>),
}

enum Handle<'c> {
    Sqlite(&'c Sqlite),
    Postgres(&'c mut PgConnection),
}

/// Watches how long statements take.
pub(crate) struct Probe {
    pub clock: SharedClock,
    pub slow: RwLock<Option<SlowQuery>>,
}

/// A statement of SQLite that took longer lets other tasks of its thread have their turn.
const LONG: Duration = Duration::from_millis(1);

impl Probe {
    fn observe(&self, sql: &str, started: Duration) -> Duration {
        let duration = self.clock.monotonic().saturating_sub(started);
        let slow = self
            .slow
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(slow) = slow.as_ref().filter(|slow| duration >= slow.threshold) {
            let time = self.clock.now().as_microsecond();
            (slow.report)(SlowStatement {
                sql: one_line(sql),
                duration,
                time,
            });
        }
        duration
    }
}

fn one_line(sql: &str) -> String {
    sql.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A connection that is asked one statement after another.
pub(crate) struct Session {
    connection: Connection,
    probe: Arc<Probe>,
}

/// Binds the values of a statement.
fn bind<'q>(
    mut query: Query<'q, Postgres, PgArguments>,
    params: Vec<Param>,
) -> Query<'q, Postgres, PgArguments> {
    for param in params {
        query = match param {
            Param::Int(value) => query.bind(value),
            Param::Text(value) => query.bind(value),
            Param::Bytes(value) => query.bind(value),
        };
    }
    query
}

impl Session {
    pub(crate) fn new(connection: Connection, probe: Arc<Probe>) -> Self {
        Self { connection, probe }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        !matches!(self.connection, Connection::Sqlite(_))
    }

    fn handle(&mut self) -> Handle<'_> {
        match &mut self.connection {
            Connection::Sqlite(connection) => Handle::Sqlite(connection),
            Connection::Postgres(connection) => Handle::Postgres(connection),
            Connection::PostgresPooled(connection) => Handle::Postgres(connection),
            Connection::PostgresSnapshot(transaction) => Handle::Postgres(transaction),
        }
    }

    /// All rows of a query.
    pub(crate) async fn fetch(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        let started = self.probe.clock.monotonic();
        let rows = match self.handle() {
            Handle::Sqlite(connection) => {
                let rows = connection.fetch(sql, &params)?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Handle::Postgres(connection) => {
                let rows = bind(sqlx::query(sql), params).fetch_all(connection).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        };
        if self.probe.observe(sql, started) >= LONG && !self.is_postgres() {
            tokio::task::yield_now().await;
        }
        Ok(rows)
    }

    /// The first row of a query.
    pub(crate) async fn fetch_optional(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.fetch(sql, params).await?.into_iter().next())
    }

    /// The first column of the first row as a number; 0 without a row.
    pub(crate) async fn count(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<u64, StoreError> {
        match self.fetch_optional(sql, params).await? {
            Some(row) => row.count(0),
            None => Ok(0),
        }
    }

    /// Runs a statement; the number of rows it touched.
    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<u64, StoreError> {
        let started = self.probe.clock.monotonic();
        let touched = match self.handle() {
            Handle::Sqlite(connection) => connection.execute(sql, &params)?,
            Handle::Postgres(connection) => {
                let query = bind(sqlx::query(sql), params);
                query.execute(connection).await?.rows_affected()
            }
        };
        self.probe.observe(sql, started);
        Ok(touched)
    }

    /// Runs statements without parameters, several at once if need be.
    pub(crate) async fn raw(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let started = self.probe.clock.monotonic();
        match self.handle() {
            Handle::Sqlite(connection) => connection.batch(sql)?,
            Handle::Postgres(connection) => {
                connection.execute(sqlx::raw_sql(sql)).await?;
            }
        }
        self.probe.observe(sql, started);
        Ok(())
    }

    /// Like [`Session::raw`], for a text made here; never of anything a client sent.
    pub(crate) async fn raw_text(&mut self, sql: String) -> Result<(), StoreError> {
        let started = self.probe.clock.monotonic();
        match self.handle() {
            Handle::Sqlite(connection) => connection.batch(&sql)?,
            Handle::Postgres(connection) => {
                let sql = sqlx::raw_sql(AssertSqlSafe(sql));
                connection.execute(sql).await?;
            }
        }
        self.probe.observe("COMMIT", started);
        Ok(())
    }

    /// Runs statements without parameters; the last row of them all.
    pub(crate) async fn raw_last(&mut self, sql: &'static str) -> Result<Option<Row>, StoreError> {
        let started = self.probe.clock.monotonic();
        let row = match self.handle() {
            Handle::Sqlite(connection) => connection.batch_last(sql)?.map(Row::Sqlite),
            Handle::Postgres(connection) => {
                let rows = connection.fetch_all(sqlx::raw_sql(sql)).await?;
                rows.into_iter().last().map(Row::Postgres)
            }
        };
        self.probe.observe(sql, started);
        Ok(row)
    }

    /// Inserts many rows with few statements. `head` is the text up to `VALUES`, `tail` what
    /// follows the values (`""` or an `ON CONFLICT` clause). Chunks have sizes from a short list
    /// so that the prepared statements stay few.
    pub(crate) async fn insert_many(
        &mut self,
        head: &'static str,
        tail: &'static str,
        rows: Vec<Vec<Param>>,
    ) -> Result<(), StoreError> {
        let mut rows = rows.into_iter();
        while rows.len() > 0 {
            let size = [64, 16, 8, 4, 2, 1]
                .into_iter()
                .find(|size| *size <= rows.len())
                .unwrap_or(1);
            let chunk: Vec<Vec<Param>> = rows.by_ref().take(size).collect();
            let width = chunk.first().map_or(0, Vec::len);
            let sql = format!("{head} VALUES {} {tail}", tuples(size, width));
            let params: Vec<Param> = chunk.into_iter().flatten().collect();
            let started = self.probe.clock.monotonic();
            match self.handle() {
                Handle::Sqlite(connection) => {
                    connection.execute(&sql, &params)?;
                }
                Handle::Postgres(connection) => {
                    let query = bind(sqlx::query(AssertSqlSafe(sql)), params);
                    query.execute(connection).await?;
                }
            }
            self.probe.observe(head, started);
        }
        Ok(())
    }
}

fn tuples(rows: usize, width: usize) -> String {
    let mut text = String::new();
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..width {
            if column > 0 {
                text.push_str(", ");
            }
            text.push('$');
            text.push_str(&(row * width + column + 1).to_string());
        }
        text.push(')');
    }
    text
}
