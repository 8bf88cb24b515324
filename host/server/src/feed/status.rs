//! The status of each model, read once between two changes however many ask.
//!
//! A kept status is good exactly as long as the store knows of no later commit that may show in it
//! and each of the model's agents is there, or not, as it was. The store knows of a commit before it answers
//! it, so whoever has written reads what they wrote. While one caller reads, the others wait for
//! the result. The time in it is that of the second in which it is handed out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use periapt_engine::SharedClock;
use periapt_model::{AgentName, ModelUuid};
use periapt_store::{DatabaseError, Store, StoreError};
use periapt_wire::status::FullStatus;
use serde_json::json;

use crate::presence::{Presence, PresentAgents};

/// The statuses that are kept.
pub struct Statuses {
    store: Store,
    clock: SharedClock,
    presence: Presence,
    models: Mutex<HashMap<ModelUuid, Arc<Slot>>>,
    read: AtomicU64,
    shared: AtomicU64,
}

#[derive(Default)]
struct Slot {
    /// Held by whoever reads the store.
    turn: tokio::sync::Mutex<()>,
    kept: Mutex<Option<Kept>>,
}

/// A status as of a commit.
#[derive(Clone)]
struct Kept {
    commit: i64,
    present: PresentAgents,
    status: SharedStatus,
}

/// A status that many share, as a value and as JSON.
#[derive(Clone)]
pub struct SharedStatus {
    status: Arc<FullStatus>,
    json: Bytes,
    /// The time in `json`, and its second.
    time: String,
    second: i64,
}

impl SharedStatus {
    /// Its time is that of its reading.
    pub fn status(&self) -> &FullStatus {
        &self.status
    }

    pub fn json(&self) -> Bytes {
        self.json.clone()
    }
}

impl Statuses {
    pub(super) fn new(store: Store, clock: SharedClock, presence: Presence) -> Self {
        Self {
            store,
            clock,
            presence,
            models: Mutex::default(),
            read: AtomicU64::new(0),
            shared: AtomicU64::new(0),
        }
    }

    /// The status of a model as it is now.
    pub async fn of(&self, model: &ModelUuid) -> Result<SharedStatus, StoreError> {
        let slot = Arc::clone(
            self.models
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(model.clone())
                .or_default(),
        );
        if let Some(status) = self.kept(model, &slot)? {
            return Ok(status);
        }
        let _turn = slot.turn.lock().await;
        if let Some(status) = self.kept(model, &slot)? {
            return Ok(status);
        }
        // Before the snapshot: a commit in between makes this one stale, never the other way.
        let commit = self.store.last_commit(model);
        let present = self.presence.of(model);
        let read = self
            .store
            .full_status(model, &[], &|agent: &AgentName| present.has(agent))
            .await;
        self.read.fetch_add(1, Ordering::Relaxed);
        let status = match read {
            Ok(status) => status,
            Err(error) => {
                self.models
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .remove(model);
                return Err(error);
            }
        };
        let second = self.clock.now().as_second();
        let shared = SharedStatus {
            json: to_json(&status)?,
            time: status.controller_timestamp.clone(),
            status: Arc::new(status),
            second,
        };
        *slot.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Kept {
            commit,
            present,
            status: shared.clone(),
        });
        Ok(shared)
    }

    /// What is kept, if it is good, with the time of now.
    fn kept(&self, model: &ModelUuid, slot: &Slot) -> Result<Option<SharedStatus>, StoreError> {
        let mut kept = slot.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(kept) = kept.as_mut().filter(|kept| {
            kept.commit == self.store.last_commit(model) && kept.present == self.presence.of(model)
        }) else {
            return Ok(None);
        };
        let now = self.clock.now();
        if kept.status.second != now.as_second() {
            let time = now.to_string();
            kept.status.json = with_time(&kept.status.json, &kept.status.time, &time);
            kept.status.time = time;
            kept.status.second = now.as_second();
        }
        self.shared.fetch_add(1, Ordering::Relaxed);
        Ok(Some(kept.status.clone()))
    }

    /// How often the store was read, and how often it was not.
    pub fn report(&self) -> serde_json::Value {
        json!({ "read": self.read.load(Ordering::Relaxed), "shared": self.shared.load(Ordering::Relaxed) })
    }
}

fn to_json(status: &FullStatus) -> Result<Bytes, StoreError> {
    serde_json::to_vec(status)
        .map(Bytes::from)
        .map_err(|error| {
            let message = error.to_string();
            DatabaseError::Internal { message }.into()
        })
}

/// The JSON with another time in the place of the only such member that comes at its top level.
fn with_time(json: &Bytes, before: &str, after: &str) -> Bytes {
    let mark = format!(r#""controller-timestamp":"{before}""#);
    // Scanned from the end, where it is; text that repeats the mark has its quotes escaped.
    let found = json
        .windows(mark.len())
        .rposition(|window| window == mark.as_bytes());
    let Some(start) = found else {
        return json.clone();
    };
    let mut new = Vec::with_capacity(json.len() + after.len());
    new.extend_from_slice(json.get(..start).unwrap_or_default());
    new.extend_from_slice(format!(r#""controller-timestamp":"{after}""#).as_bytes());
    new.extend_from_slice(json.get(start + mark.len()..).unwrap_or_default());
    Bytes::from(new)
}
