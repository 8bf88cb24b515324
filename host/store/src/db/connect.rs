//! Connections: one that writes, a few that read.

use std::str::FromStr;
use std::sync::Arc;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgPool};

use super::sqlite::{Readers, Sqlite};
use super::{Connection, Probe, Session};
use crate::error::StoreError;
use crate::options::{Database, StoreOptions};

/// More than there are statements, so that none is prepared twice.
const STATEMENTS: usize = 512;

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
        Database::Sqlite { path } => Connection::Sqlite(Sqlite::writer(path)?),
        Database::Postgres { url } => {
            Connection::Postgres(Box::new(postgres_options(url)?.connect().await?))
        }
    };
    Ok(Session::new(connection, Arc::clone(probe)))
}

/// The connections that read.
#[derive(Clone)]
pub(crate) enum Pools {
    Sqlite(Readers),
    Postgres(PgPool),
}

impl Pools {
    /// Readers connect when first needed. The writer must have made the database before.
    pub(crate) fn open(options: &StoreOptions) -> Result<Self, StoreError> {
        let connections = options.read_connections.max(1);
        Ok(match &options.database {
            Database::Sqlite { path } => Pools::Sqlite(Readers::new(path, connections)),
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
            Pools::Sqlite(readers) => Connection::Sqlite(readers.lend().await?),
            Pools::Postgres(pool) => Connection::PostgresPooled(pool.acquire().await?),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    /// One snapshot for several statements; it ends when the session is dropped.
    pub(crate) async fn snapshot(&self, probe: &Arc<Probe>) -> Result<Session, StoreError> {
        let connection = match self {
            Pools::Sqlite(readers) => {
                let reader = readers.lend().await?;
                // It is taken at the first statement.
                reader.execute("BEGIN", &[])?;
                Connection::Sqlite(reader)
            }
            Pools::Postgres(pool) => Connection::PostgresSnapshot(
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .await?,
            ),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    pub(crate) async fn close(&self) {
        match self {
            Pools::Sqlite(readers) => readers.close().await,
            Pools::Postgres(pool) => pool.close().await,
        }
    }
}
