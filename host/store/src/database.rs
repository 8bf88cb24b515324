//! What of the store the database does by itself, handed on to it.

use bytes::Bytes;
use futures::future::BoxFuture;
use periapt_database::{
    ChangeStream, Definition, Guard, KeptAnswer, Measures, Remembered, RequestMark, SlowQuery,
    Staging, Tx,
};
use periapt_engine::SharedClock;

use crate::db::Session;
use crate::tables::{Table, tables};
use crate::{Result, Store};

pub(crate) const TABLES: &[Table] = tables! {
    "entity_version";
    "sequence";
};

impl Store {
    /// Waits until everything handed in is committed, then lets go of the database. Later
    /// calls fail.
    pub async fn close(&self) {
        self.database.close().await;
    }

    /// The stream of committed changes.
    pub fn changes(&self) -> ChangeStream {
        self.database.changes()
    }

    /// The clock the store was opened with.
    pub fn clock(&self) -> SharedClock {
        self.database.clock()
    }

    /// `sqlite` or `postgresql`.
    pub fn database_kind(&self) -> &'static str {
        self.database.kind()
    }

    /// Who hears of slow statements from now on.
    pub fn set_slow_query(&self, slow: Option<SlowQuery>) {
        self.database.set_slow_query(slow);
    }

    /// Proves that the database can be read and that the writer takes work.
    pub async fn ping(&self) -> Result<()> {
        Ok(self.database.ping().await?)
    }

    /// What the store did so far, for the worker report.
    pub fn report(&self) -> serde_json::Value {
        self.database.report()
    }

    /// What the store measured since it opened.
    pub fn measures(&self) -> Measures {
        self.database.measures()
    }

    /// How often the definition has changed; 0 for one that is not known.
    ///
    /// Who shows a definition with its version asks for the version first: the worst is then a
    /// version that is too old, and a refusal that says so.
    pub async fn version(&self, definition: &Definition) -> Result<u64> {
        Ok(self.database.version(definition).await?)
    }

    /// What is known of the request's key.
    pub async fn remembered(&self, mark: &RequestMark) -> Result<Remembered> {
        Ok(self.database.remembered(mark).await?)
    }

    /// Writes what a request that changed something has come to, where its last write could not say
    /// it: its result and, if that is to be kept, its answer.
    pub async fn finish(
        &self,
        guard: &Guard,
        result: String,
        answer: Option<KeptAnswer>,
    ) -> Result<()> {
        Ok(self.database.finish(guard, result, answer).await?)
    }

    /// Stores bytes; their digest. Storing them again does nothing.
    pub async fn put_blob(&self, data: Bytes) -> Result<String> {
        Ok(self.database.put_blob(data).await?)
    }

    /// The bytes with this digest.
    ///
    /// # Errors
    /// `Corrupt` when what is stored under the digest does not have it.
    pub async fn get_blob(&self, digest: &str) -> Result<Option<Bytes>> {
        Ok(self.database.get_blob(digest).await?)
    }

    /// How many bytes have this digest.
    pub async fn blob_size(&self, digest: &str) -> Result<Option<u64>> {
        Ok(self.database.blob_size(digest).await?)
    }

    /// A part of the bytes with this digest, counted from 0. None after the last.
    pub async fn blob_part(&self, digest: &str, part: u32) -> Result<Option<Bytes>> {
        Ok(self.database.blob_part(digest, part).await?)
    }

    /// Whether the bytes with this digest are there.
    pub async fn has_blob(&self, digest: &str) -> Result<bool> {
        Ok(self.database.has_blob(digest).await?)
    }

    /// Begins an upload.
    pub fn stage(&self) -> Staging {
        self.database.stage()
    }

    /// Hands a job to the writer; answered once it is durable. Within a request it meets the
    /// demands of that request.
    pub(crate) fn write<T, F>(&self, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        self.database.write(work)
    }

    /// Hands a job to the writer that is no change a request asked for, only something it needs.
    pub(crate) fn write_aside<T, F>(&self, work: F) -> impl Future<Output = Result<T>> + Send
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        self.database.write_aside(work)
    }

    /// A session for one reading statement.
    pub(crate) async fn glance(&self) -> Result<Session> {
        Ok(self.database.glance().await?)
    }

    /// A session whose statements all see the same moment.
    pub(crate) async fn snapshot(&self) -> Result<Session> {
        Ok(self.database.snapshot().await?)
    }

    pub(crate) fn now(&self) -> i64 {
        self.database.now()
    }

    /// The time by which leases live, for a reader.
    pub(crate) async fn lease_now(&self, db: &mut Session) -> Result<i64> {
        Ok(self.database.lease_now(db).await?)
    }
}
