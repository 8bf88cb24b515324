//! Connections: one that writes, a few that read, one that listens.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{ConnectOptions, Connection as _, PgPool};
use tokio::time::timeout;

use super::postgres::{self, GREETING, Postgres, Role, no_answer};
use super::sqlite::{Readers, Sqlite};
use super::{Connection, Probe, STATEMENTS, Session};
use crate::error::Error;
use crate::options::{Database, Options};

/// A connection that was used more recently is lent without asking for a sign of life first.
const FRESH: Duration = Duration::from_secs(1);
/// How long a reader waits until a connection is free or made.
const READER: Duration = Duration::from_secs(10);

fn postgres_options(url: &str, role: Role) -> Result<PgConnectOptions, Error> {
    let options = PgConnectOptions::from_str(url).map_err(|error| Error::Failed {
        message: error.to_string(),
    })?;
    Ok(options
        .application_name("periapt")
        .statement_cache_capacity(STATEMENTS)
        .options(postgres::settings(role))
        .disable_statement_logging())
}

/// Opens the connection that writes.
pub async fn writer(database: &Database, probe: &Arc<Probe>) -> Result<Session, Error> {
    let connection = match database {
        Database::Sqlite { path } => Connection::Sqlite(Sqlite::writer(path)?),
        Database::Postgres { url } => {
            let options = postgres_options(url, Role::Writer)?;
            let connected = timeout(GREETING, options.connect()).await;
            Connection::Postgres(Postgres::own(connected.map_err(|_| no_answer(GREETING))??))
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
    pub(crate) fn open(options: &Options) -> Result<Self, Error> {
        let connections = options.read_connections.max(1);
        Ok(match &options.database {
            Database::Sqlite { path } => Pools::Sqlite(Readers::new(path, connections)),
            Database::Postgres { url } => Pools::Postgres(
                pool(connections).connect_lazy_with(postgres_options(url, Role::Reader)?),
            ),
        })
    }

    /// A connection for one statement, which is its own snapshot.
    pub(crate) async fn glance(&self, probe: &Arc<Probe>) -> Result<Session, Error> {
        let connection = match self {
            Pools::Sqlite(readers) => Connection::Sqlite(readers.lend().await?),
            Pools::Postgres(pool) => Connection::Postgres(Box::pin(Postgres::pooled(pool)).await?),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    /// One snapshot for several statements; it ends when the session is dropped.
    pub(crate) async fn snapshot(&self, probe: &Arc<Probe>) -> Result<Session, Error> {
        let connection = match self {
            Pools::Sqlite(readers) => {
                let reader = readers.lend().await?;
                // It is taken at the first statement.
                reader.execute("BEGIN", &[])?;
                Connection::Sqlite(reader)
            }
            Pools::Postgres(pool) => Connection::Postgres(Box::pin(begin_snapshot(pool)).await?),
        };
        Ok(Session::new(connection, Arc::clone(probe)))
    }

    /// Waits for those that read, though not for those that a lost server never answers.
    pub(crate) async fn close(&self) {
        match self {
            Pools::Sqlite(readers) => readers.close().await,
            Pools::Postgres(pool) => {
                let _ = timeout(GREETING, pool.close()).await;
            }
        }
    }
}

/// A connection that was lost while nobody used it is found out here, where nothing was read yet.
async fn begin_snapshot(pool: &PgPool) -> Result<Postgres, Error> {
    match Postgres::snapshot(pool.acquire().await?).await {
        Err(Error::Unavailable { .. }) => Postgres::snapshot(pool.acquire().await?).await,
        begun => begun,
    }
}

/// The connection on which notifications arrive. It reconnects by itself.
pub(crate) async fn listener(url: &str) -> Result<PgListener, Error> {
    // The pool is its way to reconnect.
    let pool = pool(1).max_lifetime(None).idle_timeout(None);
    let pool = pool.connect_lazy_with(postgres_options(url, Role::Reader)?);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.ignore_pool_close_event(true);
    Ok(listener)
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(READER)
        .test_before_acquire(false)
        .before_acquire(|connection, known| {
            Box::pin(async move {
                if known.idle_for < FRESH {
                    return Ok(true);
                }
                Ok(matches!(
                    timeout(GREETING, connection.ping()).await,
                    Ok(Ok(()))
                ))
            })
        })
        // What it still owes is read before it is lent again; one that does not answer is closed.
        .after_release(|connection, _| {
            Box::pin(async move {
                match timeout(GREETING, connection.ping()).await {
                    Ok(answered) => answered.map(|()| true),
                    Err(_) => Err(sqlx::Error::PoolTimedOut),
                }
            })
        })
}
