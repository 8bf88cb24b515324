//! One way to talk to two databases: the same statements, with `$1` placeholders and the types
//! TEXT, BIGINT and BYTEA, go to SQLite and to PostgreSQL.
//!
//! sqlx's own `Any` driver copies every row through a third representation and knows no typed
//! null; this enum over two drivers, rusqlite and sqlx, costs a page of code and neither. Nothing
//! above this module sees a type of theirs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use periapt_engine::SharedClock;
use sqlx::AssertSqlSafe;

use crate::error::StoreError;
use crate::options::{SlowQuery, SlowStatement};

mod connect;
mod params;
mod parts;
mod postgres;
mod row;
mod schema;
mod sqlite;

pub(crate) use connect::{Pools, listener, writer};
pub(crate) use params::{Param, params};
pub(crate) use parts::{PART, Which, names, of_which, part_params};
use postgres::Postgres;
pub(crate) use row::{Row, to_json};
pub(crate) use schema::{begin_schema, migrate, migrate_to, schema_version};
use sqlite::Sqlite;

/// Statements that a connection keeps prepared: more than there are, so that none is twice.
const STATEMENTS: usize = 512;

/// A connection in one of its roles.
pub(crate) enum Connection {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// Watches how long statements take.
pub(crate) struct Probe {
    pub clock: SharedClock,
    pub slow: RwLock<Option<SlowQuery>>,
    /// How many statements were run.
    pub statements: AtomicU64,
    /// Statements that SQLite planned a second time.
    #[cfg(test)]
    pub replanned: std::sync::Mutex<Vec<String>>,
}

/// A statement of SQLite that took longer lets other tasks of its thread have their turn.
const LONG: Duration = Duration::from_millis(1);

impl Probe {
    pub(crate) fn new(clock: SharedClock, slow: Option<SlowQuery>) -> Arc<Self> {
        Arc::new(Self {
            clock,
            slow: RwLock::new(slow),
            statements: AtomicU64::new(0),
            #[cfg(test)]
            replanned: Default::default(),
        })
    }

    fn observe(&self, sql: &str, started: Duration) -> Duration {
        let duration = self.clock.monotonic().saturating_sub(started);
        self.statements.fetch_add(1, Ordering::Relaxed);
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

impl Session {
    pub(crate) fn new(connection: Connection, probe: Arc<Probe>) -> Self {
        Self { connection, probe }
    }

    fn observe(&self, sql: &str, started: Duration) -> Duration {
        #[cfg(test)]
        self.look_at_plan(sql);
        self.probe.observe(sql, started)
    }

    #[cfg(test)]
    fn look_at_plan(&self, sql: &str) {
        if let Connection::Sqlite(connection) = &self.connection
            && connection.was_replanned(sql)
        {
            self.probe.replanned.lock().unwrap().push(sql.to_owned());
        }
    }

    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// Waits minutes for each answer from now on, for what a person does once.
    pub(crate) fn be_patient(&mut self) {
        if let Connection::Postgres(connection) = &mut self.connection {
            connection.wait_for_answers(postgres::LONG_ANSWER);
        }
    }

    /// Waits again as everything else does.
    pub(crate) fn be_brief(&mut self) {
        if let Connection::Postgres(connection) = &mut self.connection {
            connection.wait_for_answers(postgres::ANSWER);
        }
    }

    /// All rows of a query.
    pub(crate) async fn fetch(
        &mut self,
        sql: &'static str,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        let started = self.probe.clock.monotonic();
        let rows = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let rows = connection.fetch(sql, &params)?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Connection::Postgres(connection) => {
                let rows = connection.fetch(sql, params).await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        };
        if self.observe(sql, started) >= LONG && !self.is_postgres() {
            tokio::task::yield_now().await;
        }
        Ok(rows)
    }

    /// Like [`Session::fetch`], for a text made here; never of anything a client sent.
    pub(crate) async fn fetch_text(
        &mut self,
        sql: String,
        params: Vec<Param>,
    ) -> Result<Vec<Row>, StoreError> {
        let started = self.probe.clock.monotonic();
        let rows = match &mut self.connection {
            Connection::Sqlite(connection) => {
                let rows = connection.fetch(&sql, &params)?;
                rows.into_iter().map(Row::Sqlite).collect()
            }
            Connection::Postgres(connection) => {
                let rows = connection
                    .fetch_here(AssertSqlSafe(sql.clone()), params)
                    .await?;
                rows.into_iter().map(Row::Postgres).collect()
            }
        };
        if self.observe(&sql, started) >= LONG && !self.is_postgres() {
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
        let touched = match &mut self.connection {
            Connection::Sqlite(connection) => connection.execute(sql, &params)?,
            Connection::Postgres(connection) => connection.execute(sql, params).await?,
        };
        self.observe(sql, started);
        Ok(touched)
    }

    /// Runs statements without parameters that come again and again; the last row of them all.
    /// PostgreSQL gets them in one message, SQLite keeps each prepared.
    pub(crate) async fn steps(
        &mut self,
        steps: &[&'static str],
    ) -> Result<Option<Row>, StoreError> {
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
                let row = connection.batch_last(sql.clone()).await?;
                self.probe.observe(&sql, started);
                Ok(row.map(Row::Postgres))
            }
        }
    }

    /// Runs statements without parameters, several at once if need be.
    pub(crate) async fn raw(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let started = self.probe.clock.monotonic();
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.batch(sql)?,
            Connection::Postgres(connection) => connection.batch(sql.to_owned()).await?,
        }
        self.probe.observe(sql, started);
        Ok(())
    }

    /// Like [`Session::raw`], for a text made here; never of anything a client sent.
    pub(crate) async fn raw_text(&mut self, sql: String) -> Result<(), StoreError> {
        let started = self.probe.clock.monotonic();
        match &mut self.connection {
            Connection::Sqlite(connection) => connection.batch(&sql)?,
            Connection::Postgres(connection) => connection.batch(sql).await?,
        }
        self.probe.observe("COMMIT", started);
        Ok(())
    }

    /// Inserts many rows with few statements. `head` is the text up to `VALUES`, `tail` what
    /// follows the values (`""` or an `ON CONFLICT` clause). Chunks have sizes from a short list
    /// so that the prepared statements stay few.
    pub(crate) async fn insert_many(
        &mut self,
        head: &str,
        tail: &str,
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
            match &mut self.connection {
                Connection::Sqlite(connection) => {
                    connection.execute(&sql, &params)?;
                }
                Connection::Postgres(connection) => {
                    let sql = AssertSqlSafe(sql.clone());
                    connection.execute(sql, params).await?;
                }
            }
            self.probe.observe(head, started);
            #[cfg(test)]
            self.look_at_plan(&sql);
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
