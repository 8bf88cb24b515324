//! One way to talk to two databases: the same statements, with `$1` placeholders and the types
//! TEXT, BIGINT and BYTEA, go to SQLite and to PostgreSQL.
//!
//! sqlx's own `Any` driver copies every row through a third representation and knows no typed
//! null; this enum over two drivers, rusqlite and sqlx, costs a page of code and neither. Nothing
//! above this module sees a type of theirs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use periapt_engine::SharedClock;
use sqlx::AssertSqlSafe;

use crate::error::Error;
use crate::options::{SlowQuery, SlowStatement};

mod columns;
mod connect;
mod params;
mod parts;
mod postgres;
mod row;
mod schema;
mod sqlite;

pub use columns::{
    Cells, Column, Columns, Select, SelectWhich, json, optional, optional_json, optional_word, word,
};
pub use connect::writer;
pub(crate) use connect::{Pools, listener};
pub use params::Param;
pub use parts::{PART, Which, part_params};
use postgres::Postgres;
use row::Answer;
pub use row::{Row, to_json};
pub(crate) use schema::migrate;
pub use schema::{begin_schema, migrate_to, schema_version};
use sqlite::Sqlite;

/// Statements that a connection keeps prepared: more than there are, so that none is twice.
const STATEMENTS: usize = 512;

/// A connection in one of its roles.
///
/// What is asked of PostgreSQL is boxed: beside a way over the network that costs nothing, and all
/// that wait for a database are otherwise as large as sqlx's futures, SQLite's too.
pub(crate) enum Connection {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Watches how long statements take.
pub struct Probe {
    pub(crate) clock: SharedClock,
    pub(crate) slow: RwLock<Option<SlowQuery>>,
    /// How many statements were run.
    pub(crate) statements: AtomicU64,
    /// Statements that SQLite planned a second time.
    replanned: Mutex<BTreeSet<String>>,
}

/// A statement of SQLite that took longer lets other tasks of its thread have their turn.
const LONG: Duration = Duration::from_millis(1);

impl Probe {
    pub fn new(clock: SharedClock, slow: Option<SlowQuery>) -> Arc<Self> {
        Arc::new(Self {
            clock,
            slow: RwLock::new(slow),
            statements: AtomicU64::new(0),
            replanned: Mutex::default(),
        })
    }

    pub(crate) fn replanned(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.replanned
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn observe(&self, sql: &str, started: Duration) -> Duration {
        let duration = self.clock.monotonic().saturating_sub(started);
        self.statements.fetch_add(1, Ordering::Relaxed);
        let slow = self.slow.read().unwrap_or_else(PoisonError::into_inner);
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
pub struct Session {
    connection: Connection,
    probe: Arc<Probe>,
}

impl Session {
    pub(crate) fn new(connection: Connection, probe: Arc<Probe>) -> Self {
        Self { connection, probe }
    }

    fn observe(&self, sql: &str, started: Duration) -> Duration {
        if let Connection::Sqlite(connection) = &self.connection
            && connection.has_planned_again()
        {
            self.probe.replanned().insert(sql.to_owned());
        }
        self.probe.observe(sql, started)
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// Waits minutes for each answer from now on, for what a person does once.
    pub fn be_patient(&mut self) {
        if let Connection::Postgres(connection) = &mut self.connection {
            connection.wait_for_answers(postgres::LONG_ANSWER);
        }
    }

    /// Waits again as everything else does.
    pub(super) fn be_brief(&mut self) {
        if let Connection::Postgres(connection) = &mut self.connection {
            connection.wait_for_answers(postgres::ANSWER);
        }
    }

    /// All rows of a query.
    pub async fn fetch(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, Error> {
        let started = self.probe.clock.monotonic();
        let rows = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let rows = connection.fetch(sql, &params)?;
                rows.into_iter().map(Answer::Sqlite).map(Row).collect()
            }
            Connection::Postgres(connection) => {
                let rows = Box::pin(connection.fetch(sql, params)).await?;
                rows.into_iter().map(Answer::Postgres).map(Row).collect()
            }
        };
        if self.observe(sql, started) >= LONG && !self.is_postgres() {
            tokio::task::yield_now().await;
        }
        Ok(rows)
    }

    /// Like [`Session::fetch`], for a text made here; never of anything a client sent.
    pub async fn fetch_text(&mut self, sql: String, params: Vec<Param>) -> Result<Vec<Row>, Error> {
        let started = self.probe.clock.monotonic();
        let rows = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let rows = connection.fetch(&sql, &params)?;
                rows.into_iter().map(Answer::Sqlite).map(Row).collect()
            }
            Connection::Postgres(connection) => {
                let rows = connection
                    .fetch_here(AssertSqlSafe(sql.clone()), params)
                    .await?;
                rows.into_iter().map(Answer::Postgres).map(Row).collect()
            }
        };
        if self.observe(&sql, started) >= LONG && !self.is_postgres() {
            tokio::task::yield_now().await;
        }
        Ok(rows)
    }

    /// The first row of a query.
    pub async fn fetch_optional(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Option<Row>, Error> {
        Ok(self.fetch(sql, params).await?.into_iter().next())
    }

    /// The first column of the first row as a number; 0 without a row.
    pub async fn count(&mut self, sql: &'static str, params: Vec<Param>) -> Result<u64, Error> {
        match self.fetch_optional(sql, params).await? {
            Some(row) => row.count(0),
            None => Ok(0),
        }
    }

    /// Runs a statement; the number of rows it touched.
    pub async fn execute(&mut self, sql: &'static str, params: Vec<Param>) -> Result<u64, Error> {
        let started = self.probe.clock.monotonic();
        let touched = match &mut self.connection {
            Connection::Sqlite(connection) => connection.execute(sql, &params)?,
            Connection::Postgres(connection) => Box::pin(connection.execute(sql, params)).await?,
        };
        self.observe(sql, started);
        Ok(touched)
    }

    /// Runs statements without parameters that come again and again; the last row of them all.
    /// PostgreSQL gets them in one message, SQLite keeps each prepared.
    pub async fn steps(&mut self, steps: &[&'static str]) -> Result<Option<Row>, Error> {
        match &mut self.connection {
            Connection::Sqlite(_) => {
                let mut last = None;
                for step in steps {
                    last = self.fetch(step, vec![]).await?.pop().or(last);
                }
                Ok(last)
            }
            Connection::Postgres(connection) => {
                let sql = steps.join("; ");
                let started = self.probe.clock.monotonic();
                let row = Box::pin(connection.batch_last(sql.clone())).await?;
                self.observe(&sql, started);
                Ok(row.map(Answer::Postgres).map(Row))
            }
        }
    }

    /// Runs statements without parameters, several at once if need be.
    pub async fn raw(&mut self, sql: &'static str) -> Result<(), Error> {
        let started = self.probe.clock.monotonic();
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.batch(sql)?,
            Connection::Postgres(connection) => Box::pin(connection.batch(sql.to_owned())).await?,
        }
        self.observe(sql, started);
        Ok(())
    }

    /// Like [`Session::raw`], for a text made here; never of anything a client sent.
    pub async fn raw_text(&mut self, sql: String) -> Result<(), Error> {
        let started = self.probe.clock.monotonic();
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.batch(&sql)?,
            Connection::Postgres(connection) => Box::pin(connection.batch(sql)).await?,
        }
        self.observe("COMMIT", started);
        Ok(())
    }

    /// Inserts many rows with few statements. `head` is the text up to `VALUES`, `tail` what
    /// follows the values (`""` or an `ON CONFLICT` clause). Chunks have sizes from a short list
    /// so that the prepared statements stay few.
    pub async fn insert_many(
        &mut self,
        head: &str,
        tail: &str,
        rows: Vec<Vec<Param>>,
    ) -> Result<(), Error> {
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
            match &mut self.connection {
                Connection::Sqlite(connection) => {
                    connection.execute(&sql, &params)?;
                }
                Connection::Postgres(connection) => {
                    let sql = AssertSqlSafe(sql.clone());
                    Box::pin(connection.execute(sql, params)).await?;
                }
            }
            self.observe(head, started);
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
