//! What changes, as it changes: the worker **multiwatcher**'s store of events.
//!
//! The feed follows the change log of the store. For each batch of changes it reads the entities
//! concerned once, in one snapshot, makes one event for each, serialises it once, and keeps it
//! in a bounded [`ring`] that all readers share. Events are in the order of the change log and
//! carry its positions, which outlive restarts: a reader says how far it has come ([`Cursor`])
//! and gets what came after, or hears that this was too long ago.
//!
//! While nobody reads, nothing is read of the store: see [`readers`].
//!
//! A change of an entity's own makes an event; one that may show in it makes one if it does.
//! Names that are not there make one only when somebody may have seen them. Log lines are not events.
//!
//! The picture of everything that is there now is kept by [`cache`], the worker **modelcache**.

mod cache;
mod concerns;
mod cursor;
mod entry;
mod known;
mod reader;
mod readers;
mod ring;
mod status;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use periapt_engine::SharedClock;
use periapt_model::{AgentName, ModelUuid};
use periapt_store::{Change, DatabaseError, Everything, Interest, Store, StoreError, Subscription};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::presence::{Agent, GRACE, Presence};

pub use cache::{ModelCache, SharedStatus, Snapshot};
pub use cursor::Cursor;
pub use entry::Entry;
pub use reader::{Audience, HEARTBEAT, Reader, Scope, Filter};
pub use ring::{Limits, Missed, Part};

use known::Known;
use readers::Readers;
use ring::Ring;

/// Between two batches while changes keep coming: what happens within is one batch, and an eye
/// sees no difference. A change after silence does not wait.
const PACE: Duration = Duration::from_millis(10);
/// After a failure of the store.
const PAUSE: Duration = Duration::from_secs(1);

/// The feed. Clones are the same one.
#[derive(Clone)]
pub struct Feed {
    shared: Arc<Shared>,
}

struct Shared {
    store: Store,
    clock: SharedClock,
    presence: Presence,
    limits: Limits,
    ring: Mutex<Ring>,
    /// Bumped when there is something to read.
    told: watch::Sender<u64>,
    /// Held from reading a batch to publishing it, so that a picture taken in between is never
    /// older than what follows it.
    turn: tokio::sync::Mutex<()>,
    batches: AtomicU64,
    events: AtomicU64,
    restarts: AtomicU64,
    readers: Readers,
}

impl Feed {
    pub fn new(store: Store, clock: SharedClock, presence: Presence) -> Self {
        Self::with_limits(store, clock, presence, Limits::default())
    }

    /// A feed whose ring has other bounds.
    pub fn with_limits(
        store: Store,
        clock: SharedClock,
        presence: Presence,
        limits: Limits,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                store,
                clock,
                presence,
                limits,
                ring: Mutex::new(Ring::new(limits)),
                told: watch::Sender::new(0),
                turn: tokio::sync::Mutex::default(),
                batches: AtomicU64::new(0),
                events: AtomicU64::new(0),
                restarts: AtomicU64::new(0),
                readers: Readers::default(),
            }),
        }
    }

    /// Follows the change log until `dying`. When the store fails, the stream of changes breaks or
    /// too much changed while nobody read, it begins anew, and everybody takes a new picture.
    pub async fn run(&self, dying: CancellationToken) {
        let follow = async {
            loop {
                let ended = self.follow().await;
                self.shared.restarts.fetch_add(1, Ordering::Relaxed);
                if let Err(error) = ended {
                    tracing::warn!(%error, "the feed of events begins anew");
                    self.shared.clock.sleep(PAUSE).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = dying.cancelled() => {}
            () = follow => {}
            () = self.watch_presence() => {}
        }
    }

    /// What came after `cursor`, as much as fits into one write.
    pub fn after(&self, cursor: &Cursor) -> Result<Part, Missed> {
        self.ring().after(cursor)
    }

    /// How far the feed has come.
    pub fn head(&self) -> i64 {
        self.ring().head()
    }

    /// Changes whenever there may be more to read.
    pub fn told(&self) -> watch::Receiver<u64> {
        self.shared.told.subscribe()
    }

    /// Everything there is, and where to read on from.
    pub async fn picture(&self) -> Result<(Cursor, Everything), StoreError> {
        let mut told = self.told();
        // Until the feed has begun there is no place to read on from.
        let begun = told.wait_for(|times| *times > 0).await.is_ok();
        if !begun {
            return Err(DatabaseError::Stopped.into());
        }
        let _turn = self.shared.turn.lock().await;
        let head = self.head();
        let mut everything = self.read_all().await?;
        // What was read may be ahead of the feed; no later event shall look older than it.
        for entity in &mut everything.entities {
            entity.position = head;
        }
        Ok((Cursor::end(head), everything))
    }

    /// What it did, for the worker report.
    pub fn report(&self) -> serde_json::Value {
        let (events, bytes, from, to) = {
            let ring = self.ring();
            (
                ring.len(),
                ring.bytes(),
                ring.floor().sequence(),
                ring.head(),
            )
        };
        let shared = &self.shared;
        json!({
            "position": to, "resumable-from": from, "kept-events": events, "kept-bytes": bytes,
            "batches": shared.batches.load(Ordering::Relaxed), "events": shared.events.load(Ordering::Relaxed),
            "restarts": shared.restarts.load(Ordering::Relaxed), "readers": shared.readers.count(),
        })
    }

    /// One run over the change log, until something fails or more changed, while nobody read,
    /// than its subscription holds.
    async fn follow(&self) -> Result<(), StoreError> {
        let shared = &self.shared;
        let readers = &shared.readers;
        let interest = Interest::any_model().everything();
        let mut changes = shared.store.changes().subscribe(interest);
        let (mut known, begun) = self.begin().await?;
        loop {
            if !readers.still() {
                changes.hold_at_most(Some(shared.limits.events));
                readers.some().await;
                match changes.next().now_or_never() {
                    Some(Ok(batch)) => self.read(batch, begun, &mut known).await?,
                    Some(Err(_)) => return Ok(()),
                    None => {}
                }
                changes.hold_at_most(None);
                readers.follow();
            }
            tokio::select! {
                batch = changes.next() => self.read(batch?, begun, &mut known).await?,
                () = readers.none() => continue,
            }
            shared.clock.sleep(PACE).await;
        }
    }

    /// Reads what changed since the beginning, and publishes what is news.
    async fn read(
        &self,
        mut batch: Vec<Change>,
        begun: i64,
        known: &mut Known,
    ) -> Result<(), StoreError> {
        // Those were read with the beginning.
        batch.retain(|change| change.position > begun);
        let Some(last) = batch.last().map(|change| change.position) else {
            return Ok(());
        };
        let shared = &self.shared;
        let _turn = shared.turn.lock().await;
        let wanted = concerns::wanted(&batch);
        let found = shared
            .store
            .entities(wanted, &|model, agent| self.present(model, agent))
            .await?;
        let entries = known.news(found);
        shared.batches.fetch_add(1, Ordering::Relaxed);
        self.publish(entry::entries(entries), last);
        Ok(())
    }

    /// Fills the ring with what the change log still holds; what is known and how far it is.
    async fn begin(&self) -> Result<(Known, i64), StoreError> {
        let shared = &self.shared;
        let _turn = shared.turn.lock().await;
        let recent = shared
            .store
            .recent_changes(shared.limits.events as u64)
            .await?;
        let wanted = concerns::wanted(&recent.changes);
        let found = shared
            .store
            .entities(wanted, &|model, agent| self.present(model, agent))
            .await?;
        let known = Known::new(self.read_all().await?.entities);
        self.ring().begin(recent.after);
        self.publish(entry::entries(found), recent.position);
        Ok((known, recent.position))
    }

    async fn read_all(&self) -> Result<Everything, StoreError> {
        let present = |model: &ModelUuid, agent: &AgentName| self.present(model, agent);
        self.shared.store.every_entity(&present).await
    }

    fn present(&self, model: &ModelUuid, agent: &AgentName) -> bool {
        let agent = (model.clone(), agent.clone());
        self.shared.presence.is_present(&agent)
    }

    fn publish(&self, entries: Vec<Entry>, head: i64) {
        self.shared
            .events
            .fetch_add(entries.len() as u64, Ordering::Relaxed);
        self.ring().push(entries, head);
        self.shared.told.send_modify(|times| *times += 1);
    }

    /// Whether an agent is there is no row of the store, so its coming and going is put into the
    /// change log from here: that gives it a place in the order of events.
    async fn watch_presence(&self) {
        let shared = &self.shared;
        let mut changed = shared.presence.changed();
        let mut grace = Some(shared.clock.sleep(GRACE));
        let mut seen: Option<HashMap<Agent, bool>> = None;
        loop {
            if let Ok(agents) = shared.store.agents().await {
                let (mut now, mut changed) = (HashMap::new(), BTreeSet::new());
                for agent in agents {
                    let present = shared.presence.is_present(&agent);
                    let before = match &seen {
                        // At first there is nothing to compare with.
                        None => present,
                        Some(seen) => seen.get(&agent).copied().unwrap_or(grace.is_some()),
                    };
                    if before != present {
                        changed.insert(agent.0.clone());
                    }
                    now.insert(agent, present);
                }
                for model in changed {
                    // Gone meanwhile, or the store is closing: nobody to tell.
                    let _ = shared.store.note_presence(&model).await;
                }
                seen = Some(now);
            }
            match &mut grace {
                Some(over) => tokio::select! {
                    () = over => grace = None,
                    ended = changed.changed() => if ended.is_err() { return std::future::pending().await },
                },
                None => {
                    if changed.changed().await.is_err() {
                        return std::future::pending().await;
                    }
                }
            }
        }
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.shared
            .ring
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes of accounts and access, for readers whose own may be taken away.
    fn account_changes(&self) -> Subscription {
        self.shared
            .store
            .changes()
            .subscribe(Interest::any_model().all(periapt_store::namespace::USER))
    }
}
