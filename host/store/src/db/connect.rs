//! Connections: one that writes, a few that read.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, PgPool, SqlitePool};

use super::{Connection, Probe, Session};
use crate::error::StoreError;
use crate::options::{Database, StoreOptions};

/// More than there are statements, so that none is prepared twice.
const STATEMENTS: usize = 512;
/// Rows that the connection's thread may be ahead of the reader: a large answer then costs few
/// switches between the two.
const ROWS: usize = 4096;

fn sqlite_options(path: &std::path::Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // FULL syncs the log at every commit; NORMAL could lose acknowledged ones.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(10))
        .statement_cache_capacity(STATEMENTS)
        .row_buffer_size(ROWS)
        .pragma("temp_store", "MEMORY")
        .pragma("cache_size", "-16000")
        .disable_statement_logging()
}

fn postgres_options(url: &str) -> Result<PgConnectOptions, StoreError> {
    let options = PgConnectOptions::from_str(url)?;
    Ok(options
        .application_name("periapt")
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging())
}

/// Opens the connection that writes.
pub(crate) async fn writer(database: &Database, probe: &Arc<Probe>) -> Result<Session, StoreError> {
    let connection = match database {
        Database::Sqlite { path } => {
            Connection::Sqlite(Box::new(sqlite_options(path).connect().await?))
        }
        Database::Postgres { url } => {
            Connection::Postgres(Box::new(postgres_options(url)?.connect().await?))
        }
    };
    Ok(Session::new(connection, Arc::clone(probe)))
}

/// The connections that read.
#[derive(Clone)]
pub(crate) enum Pools {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Pools {
    /// Readers connect when first needed. The writer must have made the database before.
    pub(crate) fn open(options: &StoreOptions) -> Result<Self, StoreError> {
        let connections = options.read_connections.max(1);
        Ok(match &options.database {
            Database::Sqlite { path } => Pools::Sqlite(
                SqlitePoolOptions::new()
                    .max_connections(connections)
                    .test_before_acquire(false)
                    .idle_timeout(None)
                    .max_lifetime(None)
                    .connect_lazy_with(sqlite_options(path).pragma("query_only", "ON")),
            ),
            Database::Postgres { url } => Pools::Postgres(
                PgPoolOptions::new()
                    .max_connections(connections)
                    .connect_lazy_with(postgres_options(url)?),
            ),
        })
    }

    /// A connection for one statement, which is its own snapshot.
    pub(crate) async fn glance(&self, probe: &Arc<Probe>) -> Result<Session, StoreError> {
        let connection = match self {
            Pools::Sqlite(pool) => Connection::SqlitePooled(pool.acquire().await?),
            Pools::Postgres(pool) => Connection::PostgresPooled(pool.acquire().await?),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    /// One snapshot for several statements; it ends when the session is dropped.
    pub(crate) async fn snapshot(&self, probe: &Arc<Probe>) -> Result<Session, StoreError> {
        let connection = match self {
            Pools::Sqlite(pool) => Connection::SqliteSnapshot(pool.begin().await?),
            Pools::Postgres(pool) => Connection::PostgresSnapshot(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .await?,
            ),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    pub(crate) async fn close(&self) {
        match self {
            Pools::Sqlite(pool) => pool.close().await,
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}
