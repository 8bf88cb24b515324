//! The audit log's pen: every change, who asked for it, from where, and how it ended.
//!
//! Everything a person changes is recorded in the transaction of the change; what changes nothing in
//! the store, and what is refused, before the person is answered. What agents change is recorded in
//! passing, and by default not at all (`audit-log-exclude-methods`): each hook makes several such calls.
//! Records go to the store and, while auditing is on, from there to `audit.log`. A record that cannot be
//! written is logged as a whole, as an error, and counted: refusing the answer would undo nothing.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use periapt_model::ModelUuid;
use periapt_store::{Guard, KeptAnswer, Store, told_in_audit};
use periapt_wire::rest::AuditRecord;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

mod arguments;
mod config;
mod file;
mod request;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub use config::AuditConfig;
use file::AuditFile;
pub(crate) use request::{basic_name, forbidden, record, refused};

use crate::access::{Effect, Rule};
use crate::identity::Identity;

/// Records of one write at most.
const BATCH: usize = 256;
/// Records that may wait; then whoever changes something waits too.
const QUEUE: usize = 1024;

/// Takes records. Clones share it; when the last is gone, what waits is still written.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
    queue: mpsc::Sender<Entry>,
    /// Who closes the store waits for the tokens of what is not written yet.
    pending: TaskTracker,
    store: Store,
}

struct Shared {
    config: ArcSwap<AuditConfig>,
    file: Option<Mutex<AuditFile>>,
    written: AtomicU64,
    failed: AtomicU64,
}

struct Entry {
    record: AuditRecord,
    /// It is in the store already; only `audit.log` lacks it.
    stored: bool,
    written: Option<oneshot::Sender<()>>,
    _pending: TaskTrackerToken,
}

impl Recorder {
    /// A recorder that writes to the store and, while its configuration says so, to `file`.
    /// Must be called within a tokio runtime.
    pub fn start(store: Store, file: Option<PathBuf>, pending: TaskTracker) -> Self {
        let (queue, entries) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            config: ArcSwap::default(),
            file: file.map(|path| Mutex::new(AuditFile::new(path))),
            written: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        });
        tokio::spawn(write(Arc::clone(&shared), store.clone(), entries));
        Self {
            shared,
            store,
            queue,
            pending,
        }
    }

    /// The settings in force.
    pub fn config(&self) -> Arc<AuditConfig> {
        self.shared.config.load_full()
    }

    /// Puts new settings in force; a file that is no longer wanted is closed.
    pub fn configure(&self, config: AuditConfig) {
        let enabled = config.enabled;
        self.shared.config.store(Arc::new(config));
        if let Some(file) = &self.shared.file
            && !enabled
        {
            file.lock().unwrap_or_else(PoisonError::into_inner).close();
        }
    }

    /// Records written and lost since the start, and whether the file is open; for reports.
    pub fn report(&self) -> Value {
        let open = self.shared.file.as_ref().is_some_and(|file| {
            file.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_open()
        });
        serde_json::json!({
            "recorded": self.shared.written.load(Ordering::Relaxed),
            "lost": self.shared.failed.load(Ordering::Relaxed),
            "file-open": open,
        })
    }

    /// Returns once the record is written, or its loss is logged.
    pub async fn record(&self, record: AuditRecord) {
        let (written, is_written) = oneshot::channel();
        self.hand_over(record, false, Some(written)).await;
        // The writer tells of every loss itself.
        let _ = is_written.await;
    }

    /// Returns at once while there is room.
    pub async fn note(&self, record: AuditRecord) {
        self.hand_over(record, false, None).await;
    }

    /// Sees to it that the record of a request that has ended is in the store as it ended: with what it
    /// changed, or, if it changed nothing there, now.
    pub(crate) async fn end(&self, record: AuditRecord, guard: &Guard, answer: Option<KeptAnswer>) {
        if !guard.written() {
            return self.record(record).await;
        }
        if guard.said().as_ref() != Some(&record.result) {
            let finished = self
                .store
                .finish(guard, record.result.clone(), answer)
                .await;
            if let Err(error) = finished {
                let records = std::slice::from_ref(&record);
                return lost(&self.shared, records, &error.to_string());
            }
        }
        self.hand_over(record, true, None).await;
    }

    async fn hand_over(
        &self,
        record: AuditRecord,
        stored: bool,
        written: Option<oneshot::Sender<()>>,
    ) {
        let entry = Entry {
            record,
            stored,
            written,
            _pending: self.pending.token(),
        };
        if let Err(mpsc::error::SendError(entry)) = self.queue.send(entry).await {
            lost(
                &self.shared,
                std::slice::from_ref(&entry.record),
                "the recorder has stopped",
            );
        }
    }

    /// A record about now, to be completed with its result.
    pub(crate) fn begin(
        &self,
        who: String,
        from: Option<IpAddr>,
        model: Option<ModelUuid>,
    ) -> AuditRecord {
        AuditRecord {
            id: 0,
            time: self.store.clock().now().as_microsecond(),
            who,
            from: from.map(|address| address.to_string()).unwrap_or_default(),
            model,
            arguments: Value::Object(Default::default()),
            ..AuditRecord::default()
        }
    }

    /// The record of a call, when calls like it are recorded.
    pub(crate) fn call(
        &self,
        identity: &Identity,
        from: Option<IpAddr>,
        model: Option<&ModelUuid>,
        rule: &Rule,
        target: &str,
        params: &str,
    ) -> Option<AuditRecord> {
        let config = self.shared.config.load();
        let person = matches!(identity, Identity::User { .. });
        if rule.effect != Effect::Write || (!person && config.excludes(rule.facade, rule.method)) {
            return None;
        }
        let mut record = self.begin(identity.to_string(), from, model.cloned());
        record.what = format!("{}.{}", rule.facade, rule.method);
        record.target = target.to_owned();
        words::of_call(rule.facade, rule.method, person).tell(&mut record);
        if config.capture_args {
            let arguments = serde_json::from_str(params).unwrap_or_default();
            record.arguments = arguments::without_secrets(arguments);
        }
        Some(record)
    }

    /// Completes the record of a call and hands it over; a person waits until it is written.
    pub(crate) async fn called(&self, mut record: AuditRecord, identity: &Identity, result: &str) {
        record.result = result.to_owned();
        match identity {
            Identity::User { .. } => self.record(record).await,
            _ => self.note(record).await,
        }
    }
}

/// Writes what comes, as much as waits at a time, until nobody can send any more.
async fn write(shared: Arc<Shared>, store: Store, mut entries: mpsc::Receiver<Entry>) {
    let mut batch = Vec::with_capacity(BATCH);
    while entries.recv_many(&mut batch, BATCH).await > 0 {
        let records: Vec<AuditRecord> = batch.iter().map(|entry| entry.record.clone()).collect();
        let missing = batch.iter().filter(|entry| !entry.stored);
        let missing: Vec<AuditRecord> = missing.map(|entry| entry.record.clone()).collect();
        let written = match store.write_audit(missing.clone()).await {
            Ok(()) => records.len(),
            Err(error) => {
                lost(&shared, &missing, &error.to_string());
                records.len() - missing.len()
            }
        };
        shared.written.fetch_add(written as u64, Ordering::Relaxed);
        if shared.config.load().enabled && shared.file.is_some() {
            let shared = Arc::clone(&shared);
            // A panic there is one of the file's lock; the table has the records.
            let _ = tokio::task::spawn_blocking(move || append(&shared, &records)).await;
        }
        for entry in batch.drain(..) {
            if let Some(written) = entry.written {
                // The caller may have gone.
                let _ = written.send(());
            }
        }
    }
}

fn append(shared: &Shared, records: &[AuditRecord]) {
    let Some(file) = &shared.file else { return };
    let lines: Vec<String> = records
        .iter()
        .map(|record| AuditRecord {
            verb: told_in_audit(&record.verb, &record.result),
            ..record.clone()
        })
        .filter_map(|record| serde_json::to_string(&record).ok())
        .map(|line| line + "\n")
        .collect();
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    let config = shared.config.load();
    // Switched off meanwhile: the lock is held, so nothing opens the file afterwards.
    if !config.enabled {
        return;
    }
    if let Err(error) = file.append(&lines, config.max_size, config.max_backups) {
        file.close();
        shared
            .failed
            .fetch_add(lines.len() as u64, Ordering::Relaxed);
        tracing::error!(target: "audit", %error, records = lines.len(), "audit.log cannot be written");
    }
}

fn lost(shared: &Shared, records: &[AuditRecord], error: &str) {
    shared
        .failed
        .fetch_add(records.len() as u64, Ordering::Relaxed);
    for record in records {
        let record = serde_json::to_string(record).unwrap_or_default();
        tracing::error!(target: "audit", %error, %record, "an audit record cannot be written");
    }
}
