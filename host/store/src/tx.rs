//! What a job of the writer works with: the session, the time, ids, and the list of what it
//! changes.

use std::collections::HashSet;

use periapt_model::ModelUuid;

use crate::db::{Session, params};
use crate::error::StoreError;

/// Something that changed: model (empty for the whole controller), namespace, key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Touched {
    pub model: String,
    pub namespace: &'static str,
    pub key: String,
}

/// The write transaction, shared by the jobs of one batch, each within its own savepoint.
pub(crate) struct Tx {
    pub db: Session,
    /// Microseconds since the epoch when the current job began.
    pub now: i64,
    database_time: bool,
    last_id: i64,
    saved_id: i64,
    job: Vec<Touched>,
    batch: Vec<Touched>,
    seen: HashSet<Touched>,
}

impl Tx {
    pub(crate) fn new(db: Session, database_time: bool) -> Self {
        Self {
            db,
            now: 0,
            database_time,
            last_id: 0,
            saved_id: 0,
            job: Vec::new(),
            batch: Vec::new(),
            seen: HashSet::new(),
        }
    }

    /// Records a change, so that watchers of the key hear of it once this job is committed.
    pub(crate) fn touch(
        &mut self,
        model: &ModelUuid,
        namespace: &'static str,
        key: impl Into<String>,
    ) {
        self.job.push(Touched {
            model: model.as_str().to_owned(),
            namespace,
            key: key.into(),
        });
    }

    /// An id greater than all before, in commit order.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// The last id that was given.
    pub(crate) fn last_id(&self) -> i64 {
        self.last_id
    }

    /// Takes `count` numbers of a model's sequence, which never gives one twice; the first.
    pub(crate) async fn take_numbers(
        &mut self,
        model: &ModelUuid,
        sequence: &str,
        count: u64,
    ) -> Result<u64, StoreError> {
        let sql = "INSERT INTO sequence (model_uuid, name, value) VALUES ($1, $2, $3)
            ON CONFLICT (model_uuid, name) DO UPDATE SET value = sequence.value + excluded.value
            RETURNING value";
        let next = self.db.count(sql, params![model, sequence, count]).await?;
        Ok(next.saturating_sub(count))
    }

    /// The time by which leases live.
    pub(crate) async fn lease_now(&mut self) -> Result<i64, StoreError> {
        if self.database_time {
            database_now(&mut self.db).await
        } else {
            Ok(self.now)
        }
    }

    /// Opens the batch's transaction. On PostgreSQL the lock makes writers of several
    /// controllers take turns until commit, which is what keeps ids in commit order.
    pub(crate) async fn begin_batch(&mut self) -> Result<(), StoreError> {
        self.job.clear();
        self.batch.clear();
        self.seen.clear();
        if self.db.is_postgres() {
            self.db.raw("BEGIN").await?;
            self.db
                .fetch(
                    "SELECT CAST(pg_advisory_xact_lock($1) AS TEXT)",
                    params![WRITE_LOCK],
                )
                .await?;
        } else {
            self.db.raw("BEGIN IMMEDIATE").await?;
        }
        let row = self
            .db
            .fetch_optional(
                "SELECT value FROM sequence WHERE model_uuid = '' AND name = 'row'",
                vec![],
            )
            .await?;
        self.last_id = row.map_or(Ok(0), |row| row.int(0))?;
        self.saved_id = self.last_id;
        Ok(())
    }

    pub(crate) async fn begin_job(&mut self, now: i64) -> Result<(), StoreError> {
        self.now = now;
        self.job.clear();
        self.db.raw("SAVEPOINT job").await
    }

    pub(crate) async fn keep_job(&mut self) -> Result<(), StoreError> {
        self.db.raw("RELEASE SAVEPOINT job").await?;
        for touched in self.job.drain(..) {
            if self.seen.insert(touched.clone()) {
                self.batch.push(touched);
            }
        }
        Ok(())
    }

    pub(crate) async fn drop_job(&mut self) -> Result<(), StoreError> {
        self.job.clear();
        self.db.raw("ROLLBACK TO SAVEPOINT job").await?;
        self.db.raw("RELEASE SAVEPOINT job").await
    }

    /// Appends the batch's changes to the change log and commits; what changed.
    pub(crate) async fn commit_batch(&mut self, now: i64) -> Result<Vec<Touched>, StoreError> {
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
        if self.last_id != self.saved_id {
            self.db
                .execute(
                    "UPDATE sequence SET value = $1 WHERE model_uuid = '' AND name = 'row'",
                    params![self.last_id],
                )
                .await?;
        }
        if !touched.is_empty() && self.db.is_postgres() {
            self.db.raw("NOTIFY periapt_changes").await?;
        }
        // Only what adds or changes a model passes here, so that a test can tell which commit it was.
        let of_model = touched
            .iter()
            .any(|change| change.namespace == crate::changes::namespace::MODEL);
        if of_model {
            periapt_engine::failpoint::reach("store-before-commit");
        }
        self.db.raw("COMMIT").await?;
        if of_model {
            periapt_engine::failpoint::reach("store-after-commit");
        }
        Ok(touched)
    }
}

/// Makes the writers of several controllers take turns; any number that nobody else uses.
const WRITE_LOCK: i64 = 0x7065_7269_6170_7402;

/// The PostgreSQL server's clock.
pub(crate) async fn database_now(db: &mut Session) -> Result<i64, StoreError> {
    let sql = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
    db.fetch_optional(sql, vec![])
        .await?
        .map_or(Ok(0), |row| row.int(0))
}
