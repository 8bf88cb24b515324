//! The memory of a controller: what models hold, in SQLite or PostgreSQL.
//!
//! The store owns the schema, the typed transactions behind every API call and the lease rows. It
//! decides nothing by itself: every rule it applies is a function of `periapt_model`. How rows
//! become durable and who hears of a change is the business of `periapt_database`.
//!
//! There is one database for the controller and all its models, with a `model_uuid` in every row,
//! so that all models share the sync of a commit.
//!
//! It never opens a socket to an agent, starts no worker, and keeps no copy of a model in
//! memory: a restart has nothing to rebuild.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use periapt_database::{OpenDatabase, Options};
use periapt_model::ModelUuid;
use periapt_model::refusal::Subject;

mod alert;
mod annotation;
mod application;
mod audit;
pub mod backup;
mod block;
mod bundle;
mod changes;
mod charm;
mod cleanup;
mod cloud;
mod controller;
mod database;
mod difference;
mod entities;
mod error;
mod full_status;
mod grant;
mod history;
mod hook;
mod incident;
pub mod lease;
mod life;
mod log;
mod machine;
mod migrations;
mod model;
mod operation;
mod options;
mod page;
mod payload;
mod reach;
mod relation;
mod resource;
mod secret;
mod status;
mod storage;
mod tables;
mod timeline;
mod unit;
mod usage;
mod user;
mod views;
mod waiting;
mod why;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use alert::{DueDelivery, StoredReceiver};
pub use audit::{AUDIT_AGE, AUDIT_ROWS, told as told_in_audit};
pub use bundle::{ABANDONED, ApplyEnd, KnownApply, NewApply};
pub use changes::namespace;
pub use charm::CompiledForm;
pub use cloud::CONTROLLER_CLOUD;
pub use controller::nodes::{KnownNode, NODE_LOST};
pub use entities::{Cause, EntityKind, Everything, Found, Present, Reach, Wanted, WantedOfModel};
pub use error::StoreError;
pub use full_status::{Presence, StatusPicture};
pub use hook::{Committed, HookBegin, HookCommit};
pub use log::LogPage;
pub use model::Setter;
pub use options::{LeaseTime, StoreOptions};
pub use periapt_database::{
    Buckets, COUNTS, Change, ChangeStream, Database, Definition, Error as DatabaseError, Expected,
    Guard, Interest, KeptAnswer, Measures, REMEMBERED, Recent, Remembered, RequestMark, SECONDS,
    SlowQuery, SlowStatement, Spread, Staging, Subscription, version_tag, within_call,
};
pub use secret::{
    BackendChange, Leftover, Resealed, Sealed, SealedKey, SecretBackend, StoredSecret, Succession,
};
pub use usage::{ExposedMetric, Served, ServedUnit};
pub use user::PasswordCheck;
pub use user::access::ModelStanding;
pub use user::origin::Origin;
pub use user::tokens::{IssuedToken, KnownToken, NewToken, TokenKind};
pub use views::SeenContainer;

use changes::Ear;
use db::Session;
use periapt_database as db;

type Result<T> = std::result::Result<T, StoreError>;

/// The open store. Clones are the same store; when the last is gone its writer ends after the
/// jobs it already has.
#[derive(Clone)]
pub struct Store {
    database: OpenDatabase,
    inner: Arc<Inner>,
}

struct Inner {
    ear: Arc<Ear>,
    /// Which models texts name.
    names: model::ModelNames,
    /// Lines of log kept per model.
    keep_lines: u64,
    /// Lines of log written since the store opened.
    log_lines: AtomicU64,
    /// Audit records written since the store opened.
    audit_rows: AtomicU64,
}

impl Store {
    /// Opens the database, makes it when it is a file that does not exist, and brings its
    /// schema up to date.
    pub async fn open(options: StoreOptions) -> Result<Store> {
        let ear = Arc::new(Ear::default());
        let keep_lines = options.log_lines;
        let options = Options {
            database: options.database,
            clock: options.clock,
            slow_query: options.slow_query,
            server_time: options.lease_time == LeaseTime::Auto,
            change_tail: options.change_tail,
            read_connections: options.read_connections,
            existing: options.existing,
            migrations: migrations::MIGRATIONS,
            namespaces: namespace::NAMESPACES,
            listener: Arc::<Ear>::clone(&ear),
        };
        let database = OpenDatabase::open(options, |session, now| {
            Box::pin(lease::rows::hold_back(session, now))
        })
        .await?;
        Ok(Store {
            database,
            inner: Arc::new(Inner {
                ear,
                names: model::ModelNames::default(),
                keep_lines,
                log_lines: AtomicU64::new(0),
                audit_rows: AtomicU64::new(0),
            }),
        })
    }
}

/// Fails unless the model exists; its life otherwise.
pub(crate) async fn require_model(
    db: &mut Session,
    model: &ModelUuid,
) -> Result<periapt_model::Life> {
    let sql = "SELECT life FROM model WHERE uuid = $1";
    let life = db.word("life", sql, db::params![model]).await?;
    life.ok_or_else(|| StoreError::not_found(Subject::Model, model))
}

/// Fails unless the model is there and alive.
pub(crate) async fn require_alive_model(db: &mut Session, model: &ModelUuid) -> Result<()> {
    match require_model(db, model).await? {
        periapt_model::Life::Alive => Ok(()),
        life => Err(StoreError::NotAlive {
            kind: Subject::Model,
            name: model.to_string(),
            life,
        }),
    }
}
