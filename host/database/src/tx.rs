//! What a job of the writer works with: the session, the time, ids, and the list of what it
//! changes.

use std::collections::{HashMap, HashSet};

use crate::error::Error;
use crate::options::Namespaces;
use crate::params;
use crate::session::Session;

/// Something that changed: model (empty for the whole controller), namespace, key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Touched {
    pub model: String,
    pub namespace: &'static str,
    pub key: String,
}

/// The write transaction, shared by the jobs of one batch, each within its own savepoint.
pub struct Tx {
    pub db: Session,
    /// Microseconds since the epoch when the current job began.
    pub now: i64,
    last_id: i64,
    saved_id: i64,
    job: Vec<Touched>,
    batch: Vec<Touched>,
    seen: HashSet<Touched>,
    /// Some job of the batch is to be kept.
    kept: bool,
    /// A savepoint stands behind the last job kept.
    savepoint: bool,
    /// PostgreSQL's number of the transaction, by which its end can be asked for afterwards.
    number: Option<String>,
    /// By how much the batch raises versions.
    raises: HashMap<Touched, u64>,
    /// A model that the current job removes.
    gone: Option<String>,
    /// What the changes of the current job come from, in the words of whoever opened the database; empty while
    /// nobody has said. It is kept beside what is changed, and means nothing here.
    pub cause: String,
    /// The call in which the current job was handed over: facade and method.
    pub call: Option<(&'static str, &'static str)>,
    /// The current job does at once what would else be queued as jobs of its own. What it calls
    /// looks here; false again for each job.
    pub at_once: bool,
    namespaces: Namespaces,
    server_time: bool,
}

impl Tx {
    pub(crate) fn new(db: Session, namespaces: Namespaces, server_time: bool) -> Self {
        Self {
            db,
            now: 0,
            namespaces,
            server_time,
            last_id: 0,
            saved_id: 0,
            job: Vec::new(),
            batch: Vec::new(),
            seen: HashSet::new(),
            kept: false,
            savepoint: false,
            number: None,
            raises: HashMap::new(),
            gone: None,
            cause: String::new(),
            call: None,
            at_once: false,
        }
    }

    /// Records a change, so that watchers of the key hear of it once this job is committed.
    pub fn touch(
        &mut self,
        model: &(impl AsRef<str> + ?Sized),
        namespace: &'static str,
        key: impl Into<String>,
    ) {
        self.job.push(Touched {
            model: model.as_ref().to_owned(),
            namespace,
            key: key.into(),
        });
    }

    /// The same for what belongs to the controller and to no model.
    pub fn touch_controller(&mut self, namespace: &'static str, key: impl Into<String>) {
        self.job.push(Touched {
            model: String::new(),
            namespace,
            key: key.into(),
        });
    }

    /// The last id given out; after a commit that changed something, its last change.
    pub fn last_id(&self) -> i64 {
        self.last_id
    }

    /// Where the ids stood when the batch began.
    pub(crate) fn saved_id(&self) -> i64 {
        self.saved_id
    }

    /// Says that the current job removes the model, so that none of its versions is left.
    pub fn model_gone(&mut self, model: &(impl AsRef<str> + ?Sized)) {
        self.gone = Some(model.as_ref().to_owned());
    }

    /// By how much the batch, with the current job, raises a version.
    pub(crate) fn raised(&self, touched: &Touched) -> u64 {
        self.raises.get(touched).copied().unwrap_or(0) + u64::from(self.job.contains(touched))
    }

    /// An id greater than all before, in commit order.
    pub fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Takes `count` numbers of a model's sequence, which never gives one twice; the first.
    pub async fn take_numbers(
        &mut self,
        model: &(impl AsRef<str> + ?Sized + Sync),
        sequence: &str,
        count: u64,
    ) -> Result<u64, Error> {
        let sql = "INSERT INTO sequence (model_uuid, name, value) VALUES ($1, $2, $3)
            ON CONFLICT (model_uuid, name) DO UPDATE SET value = sequence.value + excluded.value
            RETURNING value";
        let next = self.db.count(sql, params![model, sequence, count]).await?;
        Ok(next.saturating_sub(count))
    }

    /// The time by which leases live.
    pub async fn lease_now(&mut self) -> Result<i64, Error> {
        if self.server_time {
            database_now(&mut self.db).await
        } else {
            Ok(self.now)
        }
    }

    /// Opens the batch's transaction. On PostgreSQL the lock makes writers of several
    /// controllers take turns until commit, which is what keeps ids in commit order.
    pub(crate) async fn begin_batch(&mut self) -> Result<(), Error> {
        self.job.clear();
        self.batch.clear();
        self.seen.clear();
        self.kept = false;
        self.savepoint = false;
        self.raises.clear();
        self.gone = None;
        let postgres = self.db.is_postgres();
        let begin = if postgres {
            BEGIN_POSTGRES
        } else {
            BEGIN_SQLITE
        };
        let row = self.db.steps(begin).await?;
        self.last_id = row.as_ref().map_or(Ok(0), |row| row.int(0))?;
        self.number = match row {
            Some(row) if postgres => Some(row.text(1)?),
            _ => None,
        };
        self.saved_id = self.last_id;
        Ok(())
    }

    /// The first job needs no savepoint: if it fails, the whole transaction is begun anew.
    pub(crate) async fn begin_job(&mut self, now: i64) -> Result<(), Error> {
        self.now = now;
        self.job.clear();
        self.gone = None;
        self.cause.clear();
        self.call = None;
        self.at_once = false;
        if !self.kept {
            return Ok(());
        }
        let steps: &[&str] = if self.savepoint {
            &["RELEASE SAVEPOINT job", "SAVEPOINT job"]
        } else {
            &["SAVEPOINT job"]
        };
        self.savepoint = true;
        self.db.steps(steps).await.map(|_| ())
    }

    pub(crate) fn keep_job(&mut self) {
        self.kept = true;
        let mut raised = HashSet::new();
        for touched in self.job.drain(..) {
            if (self.namespaces.versioned)(touched.namespace) && raised.insert(touched.clone()) {
                *self.raises.entry(touched.clone()).or_default() += 1;
            }
            if self.seen.insert(touched.clone()) {
                self.batch.push(touched);
            }
        }
        if let Some(gone) = self.gone.take() {
            self.raises.retain(|touched, _| touched.model != gone);
        }
    }

    pub(crate) async fn drop_job(&mut self) -> Result<(), Error> {
        self.job.clear();
        if self.kept {
            let back = self.db.steps(&["ROLLBACK TO SAVEPOINT job"]).await;
            return back.map(|_| ());
        }
        self.db.steps(&["ROLLBACK"]).await?;
        self.begin_batch().await
    }

    /// Appends the batch's changes to the change log; what changed. Only the commit is missing.
    pub(crate) async fn finish_batch(&mut self, now: i64) -> Result<Vec<Touched>, Error> {
        let touched = std::mem::take(&mut self.batch);
        let mut rows = Vec::with_capacity(touched.len());
        for change in &touched {
            let id = self.next_id();
            rows.push(params![
                id,
                &change.model,
                change.namespace,
                &change.key,
                now
            ]);
        }
        self.db
            .insert_many(
                "INSERT INTO change_log (id, model_uuid, namespace, key, time)",
                "",
                rows,
            )
            .await?;
        let raises = self
            .raises
            .drain()
            .map(|(raised, by)| params![raised.model, raised.namespace, raised.key, by])
            .collect();
        self.db
            .insert_many(
                "INSERT INTO entity_version (model_uuid, namespace, key, version)",
                "ON CONFLICT (model_uuid, namespace, key) DO UPDATE SET version = entity_version.version + excluded.version",
                raises,
            )
            .await?;
        Ok(touched)
    }

    /// Commits the batch, which changed what [`Tx::finish_batch`] said.
    pub(crate) async fn commit_batch(&mut self, touched: &[Touched]) -> Result<(), Error> {
        let moved = self.last_id != self.saved_id;
        // A savepoint left open ends with the transaction.
        if self.db.is_postgres() {
            // One message for all that ends the transaction.
            let mut end = String::new();
            if moved {
                end = format!(
                    "UPDATE sequence SET value = {} WHERE model_uuid = '' AND name = 'row'; ",
                    self.last_id
                );
            }
            if !touched.is_empty() {
                end.push_str("NOTIFY periapt_changes; ");
            }
            end.push_str("COMMIT");
            self.db.raw_text(end).await?;
        } else {
            if moved {
                let sql = "UPDATE sequence SET value = $1 WHERE model_uuid = '' AND name = 'row'";
                self.db.execute(sql, params![self.last_id]).await?;
            }
            self.db.steps(&["COMMIT"]).await?;
        }
        Ok(())
    }

    /// PostgreSQL's number of the batch's transaction.
    pub(crate) fn number(&self) -> Option<&str> {
        self.number.as_deref()
    }
}

/// Whether the transaction with this number was committed, asked over a new connection. Who has
/// the writers' lock knows that it has ended.
pub(crate) async fn was_committed(db: &mut Session, number: &str) -> Result<bool, Error> {
    db.steps(&["BEGIN", LOCK_POSTGRES]).await?;
    let sql = "SELECT CAST(pg_xact_status(CAST(CAST($1 AS TEXT) AS xid8)) AS TEXT)";
    let status = db.fetch_optional(sql, params![number]).await?;
    db.raw("ROLLBACK").await?;
    match status {
        Some(row) => Ok(row.optional_str(0)? == Some("committed")),
        None => Ok(false),
    }
}

const BEGIN_SQLITE: &[&str] = &[
    "BEGIN IMMEDIATE",
    "SELECT value FROM sequence WHERE model_uuid = '' AND name = 'row'",
];
/// The lock makes the writers of several controllers take turns; its number is any that nobody
/// else uses (0x7065_7269_6170_7402).
const LOCK_POSTGRES: &str = "SELECT pg_advisory_xact_lock(8099005301827597314)";
const BEGIN_POSTGRES: &[&str] = &[
    "BEGIN",
    LOCK_POSTGRES,
    "SELECT value, CAST(pg_current_xact_id() AS TEXT) FROM sequence
    WHERE model_uuid = '' AND name = 'row'",
];

/// The PostgreSQL server's clock.
pub(crate) async fn database_now(db: &mut Session) -> Result<i64, Error> {
    let sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    db.fetch_optional(sql, vec![])
        .await?
        .map_or(Ok(0), |row| row.int(0))
}
