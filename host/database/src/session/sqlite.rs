//! SQLite, asked on the thread that asks. A statement takes microseconds; a driver with a thread
//! of its own per connection spends several times that on waking one thread and then the other,
//! which was a third of a controller's time. What does take long is the commit's wait for the
//! disk, so the writer has a thread of its own; readers never wait for it (WAL).

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::StatementStatus;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Statement, ToSql};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Param, STATEMENTS};
use crate::error::Error;

#[cfg(test)]
mod tests;

/// Pages of the write-ahead log after which a commit copies them into the database. Hooks write
/// the same pages again and again, and each goes over once: eight times as many as SQLite's own
/// thousand are a checkpoint every few hundred hooks instead of every 75. The price is a file of
/// 32 MiB, which is read through when the controller starts after a kill.
const CHECKPOINT: i64 = 8_000;

/// A row of an answer, column by column.
pub(crate) type Values = Vec<Value>;

/// A connection, which goes back to the readers that it was lent from.
pub(crate) struct Sqlite {
    /// None only while it goes back.
    connection: Option<Connection>,
    lender: Option<Lender>,
    planned_again: Cell<bool>,
}

struct Lender {
    idle: Arc<Mutex<Vec<Connection>>>,
    _room: OwnedSemaphorePermit,
}

impl Sqlite {
    /// Opens the connection that writes, and makes the file if there is none.
    pub(crate) fn writer(path: &Path) -> Result<Self, Error> {
        Ok(Self {
            connection: Some(connect(path)?),
            lender: None,
            planned_again: Cell::new(false),
        })
    }

    fn connection(&self) -> Result<&Connection, Error> {
        self.connection.as_ref().ok_or(Error::Stopped)
    }

    pub(crate) fn fetch(&self, sql: &str, params: &[Param]) -> Result<Vec<Values>, Error> {
        let mut statement = self.connection()?.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let rows = read(&mut statement);
        self.look_at_plan(&statement);
        rows
    }

    /// The number of rows that the statement touched.
    pub(crate) fn execute(&self, sql: &str, params: &[Param]) -> Result<u64, Error> {
        let mut statement = self.connection()?.prepare_cached(sql)?;
        bind(&mut statement, params)?;
        let touched = statement.raw_execute()?;
        self.look_at_plan(&statement);
        Ok(touched as u64)
    }

    fn look_at_plan(&self, statement: &Statement<'_>) {
        if statement.reset_status(StatementStatus::RePrepare) > 0 {
            self.planned_again.set(true);
        }
    }

    /// Whether a statement that is kept prepared was planned anew since the last time this was
    /// asked.
    pub(super) fn has_planned_again(&self) -> bool {
        self.planned_again.take()
    }

    /// Runs several statements without parameters.
    pub(crate) fn batch(&self, sql: &str) -> Result<(), Error> {
        Ok(self.connection()?.execute_batch(sql)?)
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        let (Some(connection), Some(lender)) = (self.connection.take(), self.lender.take()) else {
            return;
        };
        // One that cannot end its reading is not lent again.
        let ended = || connection.prepare_cached("ROLLBACK")?.raw_execute();
        if connection.is_autocommit() || ended().is_ok() {
            lock(&lender.idle).push(connection);
        }
    }
}

/// The connections that read, opened when first needed.
#[derive(Clone)]
pub(crate) struct Readers {
    path: PathBuf,
    most: u32,
    room: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(crate) fn new(path: &Path, most: u32) -> Self {
        Self {
            path: path.to_owned(),
            most,
            room: Arc::new(Semaphore::new(most as usize)),
            idle: Arc::default(),
        }
    }

    /// Lends a connection, once one is free.
    pub(crate) async fn lend(&self) -> Result<Sqlite, Error> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| Error::Stopped)?;
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => {
                let connection = connect(&self.path)?;
                connection.pragma_update(None, "query_only", true)?;
                connection
            }
        };
        Ok(Sqlite {
            connection: Some(connection),
            lender: Some(Lender {
                idle: Arc::clone(&self.idle),
                _room: room,
            }),
            planned_again: Cell::new(false),
        })
    }

    /// Waits for those that read, and lends no more.
    pub(crate) async fn close(&self) {
        // Closed by somebody else means that it is done.
        let _all = self.room.acquire_many(self.most).await;
        self.room.close();
        lock(&self.idle).clear();
    }
}

fn connect(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else the planner looks at the values of some statements, all with a join or a LIMIT among
    // them, and plans these anew each time they run: five times the time of running them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // FULL syncs the log at every commit; NORMAL could lose acknowledged ones.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
        PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000",
    )?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT)?;
    Ok(connection)
}

/// To SQLite `$3` is a name, which it numbers by where it first stands.
fn bind(statement: &mut Statement<'_>, params: &[Param]) -> Result<(), Error> {
    for index in 1..=statement.parameter_count() {
        let place = statement
            .parameter_name(index)
            .and_then(|name| name.strip_prefix('$'))
            .and_then(|number| number.parse::<usize>().ok());
        let param = place.and_then(|place| params.get(place.wrapping_sub(1)));
        let param = param.ok_or_else(|| Error::Internal {
            message: format!("a statement has no value for parameter {index}"),
        })?;
        statement.raw_bind_parameter(index, param)?;
    }
    Ok(())
}

fn read(statement: &mut Statement<'_>) -> Result<Vec<Values>, Error> {
    let columns = statement.column_count();
    let mut rows = statement.raw_query();
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let values = (0..columns).map(|column| row.get(column));
        all.push(values.collect::<Result<Values, _>>()?);
    }
    Ok(all)
}

impl ToSql for Param {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Param::Int(Some(value)) => ValueRef::Integer(*value),
            Param::Text(Some(value)) => ValueRef::Text(value.as_bytes()),
            Param::Bytes(value) => ValueRef::Blob(value),
            Param::Int(None) | Param::Text(None) => ValueRef::Null,
        }))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
