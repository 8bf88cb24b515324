//! How a store is opened.

use std::path::PathBuf;

use periapt_database::{Database, SlowQuery};
use periapt_engine::SharedClock;
use periapt_model::bounds;

/// Whose clock decides about leases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeaseTime {
    /// The database's on PostgreSQL, where several controllers share the leases; otherwise the
    /// injected one.
    #[default]
    Auto,
    /// The injected clock.
    Injected,
}

/// Everything a store needs to open.
#[derive(Clone)]
pub struct StoreOptions {
    pub database: Database,
    pub clock: SharedClock,
    pub slow_query: Option<SlowQuery>,
    pub lease_time: LeaseTime,
    /// Lines of log kept per model.
    pub log_lines: u64,
    /// Positions of the change log that are kept although every reader has read them, so that
    /// whoever follows it from outside can go on after a while.
    pub change_tail: u32,
    /// Connections for reading.
    pub read_connections: u32,
    /// The database must hold a store already: none is begun in an empty one.
    pub existing: bool,
}

/// A few minutes of a busy controller, hours of a quiet one; about 2 MB.
const CHANGE_TAIL: u32 = 20_000;

/// About 20 MB of log a model, as much as Juju keeps by default.
const LOG_LINES: u64 = bounds::LOG_LINES.most;

impl StoreOptions {
    /// A store in a SQLite file, which is made when absent.
    pub fn sqlite(path: impl Into<PathBuf>, clock: SharedClock) -> Self {
        Self::new(Database::Sqlite { path: path.into() }, clock)
    }

    /// A store in an existing PostgreSQL database.
    pub fn postgres(url: impl Into<String>, clock: SharedClock) -> Self {
        Self::new(Database::Postgres { url: url.into() }, clock)
    }

    /// The defaults for `database`.
    pub fn new(database: Database, clock: SharedClock) -> Self {
        Self {
            database,
            clock,
            slow_query: None,
            lease_time: LeaseTime::Auto,
            log_lines: LOG_LINES,
            change_tail: CHANGE_TAIL,
            read_connections: 4,
            existing: false,
        }
    }
}
