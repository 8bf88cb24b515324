//! How a database is opened.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::SharedClock;

use crate::changes::Change;
use crate::tx::Touched;

/// Where the rows are.
#[derive(Clone, Debug)]
pub enum Database {
    /// A file of this host, for one controller process.
    Sqlite { path: PathBuf },
    /// A server, for one controller or several. The URL may choose a schema
    /// (`?options=-csearch_path%3Dname`).
    Postgres { url: String },
}

/// A statement that took longer than the threshold.
#[derive(Clone, Debug)]
pub struct SlowStatement {
    pub sql: String,
    pub duration: Duration,
    /// Microseconds since the epoch, UTC, at its end.
    pub time: i64,
}

/// Who hears of slow statements.
#[derive(Clone)]
pub struct SlowQuery {
    pub threshold: Duration,
    /// Called from the task that ran the statement; must not block.
    pub report: Arc<dyn Fn(SlowStatement) + Send + Sync>,
}

/// What can change, as the owner of the rows names it.
#[derive(Clone, Copy)]
pub struct Namespaces {
    /// The constant equal to a text; none for a namespace of a newer program.
    pub known: fn(&str) -> Option<&'static str>,
    /// Whether touching a namespace raises the version of what is touched.
    pub versioned: fn(&str) -> bool,
}

/// Hears of changes before everybody else. None of it may wait.
pub trait Listener: Send + Sync {
    /// The writer is about to commit this.
    fn committing(&self, touched: &[Touched]);
    /// A commit of this process stands, and nobody has been answered yet. `position` is that of
    /// its last change.
    fn committed(&self, touched: &[Touched], position: i64);
    /// The dispatcher has come to a change, of this process or of another.
    fn heard(&self, change: &Change);
}

/// Everything that is needed to open a database.
#[derive(Clone)]
pub struct Options {
    pub database: Database,
    pub clock: SharedClock,
    pub slow_query: Option<SlowQuery>,
    /// Leases live by the server's clock where there is a server, because several processes
    /// share them.
    pub server_time: bool,
    /// Positions of the change log that are kept although every reader has read them, so that
    /// whoever follows it from outside can go on after a while.
    pub change_tail: u32,
    /// Connections for reading.
    pub read_connections: u32,
    /// The database must hold rows already: none are begun in an empty one.
    pub existing: bool,
    /// The schema: version N is the N-th text. A published one is never edited. What follows a line
    /// `-- SQLite only` is left out on PostgreSQL.
    pub migrations: &'static [&'static str],
    pub namespaces: Namespaces,
    pub listener: Arc<dyn Listener>,
}
