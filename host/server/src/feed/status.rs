//! The status of each model, kept for whoever asks, and brought up to date between two changes.
//!
//! A kept status is good exactly as long as the store knows of no later commit that may show in it
//! and each of the model's agents is there, or not, as it was. The store knows of a commit before it answers
//! it, so whoever has written reads what they wrote. While one caller reads, the others wait for
//! the result. After a change only what changed is read ([`StatusPicture`]). The time in it is that of
//! the second in which it is handed out.
//!
//! A status that nobody has asked for in a while is given up: a model costs memory only while it is
//! looked at.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use periapt_engine::SharedClock;
use periapt_model::{AgentName, ModelUuid};
use periapt_store::{DatabaseError, StatusPicture, Store, StoreError};
use periapt_wire::status::FullStatus;
use serde_json::json;
use tokio::sync::Notify;

use crate::presence::{Presence, PresentAgents};

/// How long a status is kept after it was asked for, at least; twice as long at most.
const KEPT: Duration = Duration::from_secs(120);

/// The statuses that are kept.
pub struct Statuses {
    store: Store,
    clock: SharedClock,
    presence: Presence,
    models: Mutex<HashMap<ModelUuid, Arc<Slot>>>,
    /// Wakes whoever gives statuses up, when there is one.
    some: Notify,
    read: AtomicU64,
    shared: AtomicU64,
}

#[derive(Default)]
struct Slot {
    /// What the answers are made of. Held by whoever reads the store.
    picture: tokio::sync::Mutex<Option<StatusPicture>>,
    kept: Mutex<Option<Kept>>,
    /// When it was asked for last, on the monotonic clock.
    asked: Mutex<Duration>,
}

/// A status as of a commit.
#[derive(Clone)]
struct Kept {
    commit: i64,
    present: PresentAgents,
    status: SharedStatus,
}

/// A status that many share.
#[derive(Clone)]
pub struct SharedStatus {
    json: Bytes,
    /// The time in `json`, and its second.
    time: String,
    second: i64,
    /// Made of the JSON when it is first asked for.
    value: Arc<OnceLock<Result<FullStatus, String>>>,
}

impl SharedStatus {
    /// As a value. Its time is one at which it was good.
    pub fn value(&self) -> Result<&FullStatus, StoreError> {
        let made = self
            .value
            .get_or_init(|| serde_json::from_slice(&self.json).map_err(|error| error.to_string()));
        made.as_ref().map_err(|message| {
            DatabaseError::Internal {
                message: message.clone(),
            }
            .into()
        })
    }

    #[cfg(test)]
    pub fn status(&self) -> &FullStatus {
        self.value().unwrap()
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
            some: Notify::new(),
            read: AtomicU64::new(0),
            shared: AtomicU64::new(0),
        }
    }

    /// The status of a model as it is now.
    pub async fn of(&self, model: &ModelUuid) -> Result<SharedStatus, StoreError> {
        let slot = self.slot(model);
        if let Some(status) = self.kept(model, &slot) {
            return Ok(status);
        }
        let mut picture = slot.picture.lock().await;
        if let Some(status) = self.kept(model, &slot) {
            return Ok(status);
        }
        // Before the snapshot: a commit in between makes this one stale, never the other way.
        let commit = self.store.last_commit(model);
        let present = self.presence.of(model);
        let read = self.read(model, &mut picture, &present).await;
        self.read.fetch_add(1, Ordering::Relaxed);
        let (json, time) = match read {
            Ok(read) => read,
            Err(error) => {
                self.models().remove(model);
                return Err(error);
            }
        };
        let status = SharedStatus {
            json,
            time,
            second: self.clock.now().as_second(),
            value: Arc::default(),
        };
        *slot.kept() = Some(Kept {
            commit,
            present,
            status: status.clone(),
        });
        Ok(status)
    }

    /// The answer, and the time in it.
    async fn read(
        &self,
        model: &ModelUuid,
        picture: &mut Option<StatusPicture>,
        present: &PresentAgents,
    ) -> Result<(Bytes, String), StoreError> {
        let presence = |agent: &AgentName| present.has(agent);
        let picture = match picture {
            Some(picture) => {
                self.store.refresh_status(picture, &presence).await?;
                picture
            }
            none => none.insert(self.store.status_picture(model, &presence).await?),
        };
        Ok((Bytes::from(picture.to_json()?), picture.time()))
    }

    /// What is kept, if it is good, with the time of now.
    fn kept(&self, model: &ModelUuid, slot: &Slot) -> Option<SharedStatus> {
        let mut kept = slot.kept();
        let kept = kept.as_mut().filter(|kept| {
            kept.commit == self.store.last_commit(model) && kept.present == self.presence.of(model)
        })?;
        let now = self.clock.now();
        if kept.status.second != now.as_second() {
            let time = now.to_string();
            kept.status.json = with_time(&kept.status.json, &kept.status.time, &time);
            kept.status.time = time;
            kept.status.second = now.as_second();
        }
        self.shared.fetch_add(1, Ordering::Relaxed);
        Some(kept.status.clone())
    }

    /// Where a model's status is kept; it was asked for now.
    fn slot(&self, model: &ModelUuid) -> Arc<Slot> {
        let slot = Arc::clone(self.models().entry(model.clone()).or_default());
        *slot.asked.lock().unwrap_or_else(PoisonError::into_inner) = self.clock.monotonic();
        self.some.notify_one();
        slot
    }

    /// Gives up what nobody asks for. Never ends; sleeps while nothing is kept.
    pub(super) async fn give_up(&self) {
        loop {
            if self.models().is_empty() {
                self.some.notified().await;
                continue;
            }
            self.clock.sleep(KEPT).await;
            let now = self.clock.monotonic();
            self.models().retain(|_, slot| {
                let asked = slot.asked.lock().unwrap_or_else(PoisonError::into_inner);
                now.saturating_sub(*asked) < KEPT
            });
        }
    }

    /// How often the store was read, and how often it was not.
    pub fn report(&self) -> serde_json::Value {
        json!({ "read": self.read.load(Ordering::Relaxed), "shared": self.shared.load(Ordering::Relaxed) })
    }

    fn models(&self) -> MutexGuard<'_, HashMap<ModelUuid, Arc<Slot>>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
