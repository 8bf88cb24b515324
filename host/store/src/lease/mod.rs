//! Leases: who leads an application, which controller acts for a model.
//!
//! One row per (namespace, model, name), so at most one holder. A claim by the holder extends;
//! a claim by another is denied while the lease lives and takes it over once it is over, in one
//! transaction, so that no state without a holder is ever told as won. The time is the database
//! server's on PostgreSQL, where several controllers share the rows, and the store's clock
//! otherwise.
//!
//! Two choices differ from Juju, both for liveness: an expired lease can be taken at once
//! instead of after the sweep, and a waiter is looked at when it registers instead of at the
//! next tick. A third is a kindness: when a store opens after all of them were gone, a lease
//! whose holder could not renew it during the outage gets one more period, so that leaderships
//! do not move for nothing. A fourth is simplicity: a manager keeps nothing in memory but the
//! calls under way, so an error of the store fails the call and never the manager.

use std::time::Duration;

use periapt_engine::{SharedRandomness, SystemRandomness};
use periapt_model::{ModelUuid, Tag};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::DatabaseError;
use crate::error::StoreError;
use crate::tables::{Table, tables};
use crate::{Result, Store};

mod claims;
mod namespace;
mod report;
pub(crate) mod rows;
mod secretary;
#[cfg(test)]
mod tests;
mod wakes;

pub use namespace::Namespace;
pub(crate) use wakes::Wakes;

pub(crate) const TABLES: &[Table] = tables! {
    "lease";
    "lease_pin";
};

/// A waiter looks again after so long even if nothing told it to.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// A lease as stored. Times in microseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    pub namespace: Namespace,
    pub model: ModelUuid,
    pub name: String,
    pub holder: String,
    /// When it was claimed or last extended.
    pub started_at: i64,
    pub expires_at: i64,
}

#[derive(Default)]
struct Counters {
    claims: AtomicU64,
    denied: AtomicU64,
    retried: AtomicU64,
    timed_out: AtomicU64,
    waiting: AtomicU64,
}

/// Serves leases until it is stopped; clones are the same manager. The rows outlive it, those
/// who wait do not.
#[derive(Clone)]
pub struct Manager {
    store: Store,
    randomness: SharedRandomness,
    /// Takes nothing new any more.
    stopped: CancellationToken,
    /// Waits for nothing any more.
    abandoned: CancellationToken,
    counters: Arc<Counters>,
    /// Claims and revocations handed to the store and not decided, their callers gone or not.
    claiming: TaskTracker,
    revoking: TaskTracker,
    changed: Arc<watch::Sender<()>>,
}

impl Manager {
    pub fn new(store: &Store) -> Self {
        Self::with_randomness(store, Arc::new(SystemRandomness))
    }

    /// A manager that spreads its retries by `randomness`.
    pub fn with_randomness(store: &Store, randomness: SharedRandomness) -> Self {
        Self {
            store: store.clone(),
            randomness,
            stopped: CancellationToken::new(),
            abandoned: CancellationToken::new(),
            counters: Arc::default(),
            claiming: TaskTracker::new(),
            revoking: TaskTracker::new(),
            changed: Arc::new(watch::Sender::new(())),
        }
    }

    /// Returns when the lease can be claimed: at once if it can be now.
    pub async fn wait_until_expired(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
    ) -> Result<()> {
        secretary::check_lease(namespace, name)?;
        let _waiting = Waiting::begin(&self.counters);
        self.wait(namespace, model, name).await
    }

    async fn wait(&self, namespace: Namespace, model: &ModelUuid, name: &str) -> Result<()> {
        let clock = self.store.clock();
        loop {
            self.require_running()?;
            let wakes = &self.store.inner.ear.wakes;
            let change = wakes.register(model.as_str(), format!("{namespace}/{name}"));
            let mut changed = std::pin::pin!(change.notified());
            changed.as_mut().enable();
            let mut db = self.store.glance().await?;
            let held = rows::find(&mut db, namespace, model, name).await?;
            let now = self.store.lease_now(&mut db).await?;
            drop(db);
            let Some(held) = held.filter(|held| !held.is_over(now)) else {
                return Ok(());
            };
            let pause = if held.pinned {
                LOOK_AGAIN
            } else {
                let left = u64::try_from(held.expires_at - now).unwrap_or(0);
                Duration::from_micros(left).min(LOOK_AGAIN)
            };
            tokio::select! {
                () = changed => {}
                () = clock.sleep(pause) => {}
                () = self.stopped.cancelled() => return Err(DatabaseError::Stopped.into()),
            }
        }
    }

    /// [`StoreError::LeaseLost`] unless `holder` has the lease. For a decision that must hold
    /// at commit use a store method that checks inside its transaction.
    pub async fn check(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        holder: &str,
    ) -> Result<()> {
        secretary::check(namespace, name, holder)?;
        match self.holder(namespace, model, name).await? {
            Some(found) if found == holder => Ok(()),
            _ => Err(StoreError::LeaseLost {
                lease: name.to_owned(),
                holder: holder.to_owned(),
            }),
        }
    }

    /// Who has the lease now.
    pub async fn holder(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
    ) -> Result<Option<String>> {
        self.require_running()?;
        secretary::check_lease(namespace, name)?;
        let mut db = self.store.glance().await?;
        let held = rows::find(&mut db, namespace, model, name).await?;
        let now = self.store.lease_now(&mut db).await?;
        Ok(held
            .filter(|held| !held.is_over(now))
            .map(|held| held.holder))
    }

    /// All rows, those past their time included.
    pub async fn leases(&self) -> Result<Vec<Lease>> {
        rows::all(&mut self.store.glance().await?).await
    }

    /// Keeps every application with the unit that leads it now, whatever the time, until `entity`
    /// unpins them: for a time in which units cannot renew their leases. Idempotent.
    pub async fn pin_leaders(&self, entity: &Tag) -> Result<()> {
        self.require_running()?;
        let entity = entity.to_string();
        let pinned = self
            .store
            .write(move |tx| Box::pin(async move { rows::pin_leaders(tx, &entity).await }))
            .await;
        self.note_change();
        pinned
    }

    /// Undoes `pin_leaders` of the same entity. A leader who is late gets one more period to
    /// renew its lease. Idempotent.
    pub async fn unpin_leaders(&self, entity: &Tag) -> Result<()> {
        self.require_running()?;
        let entity = entity.to_string();
        let unpinned = self
            .store
            .write(move |tx| Box::pin(async move { rows::unpin_leaders(tx, &entity).await }))
            .await;
        self.note_change();
        unpinned
    }

    /// Pinned leases with the entities that pin them.
    pub async fn pinned(&self) -> Result<Vec<(Lease, Vec<String>)>> {
        let mut leases = self.leases_and_pins().await?;
        leases.retain(|(_, entities)| !entities.is_empty());
        Ok(leases)
    }

    /// All rows, each with the entities that pin it, none for most; both of one moment.
    pub async fn leases_and_pins(&self) -> Result<Vec<(Lease, Vec<String>)>> {
        let mut db = self.store.snapshot().await?;
        let leases = rows::all(&mut db).await?;
        let mut pins = rows::pins(&mut db).await?;
        let with_pins = leases.into_iter().map(|lease| {
            let key = (lease.namespace, lease.model.clone(), lease.name.clone());
            (lease, pins.remove(&key).unwrap_or_default())
        });
        Ok(with_pins.collect())
    }

    /// Removes leases past their time that nothing pins; how many. After a clock was put back
    /// it also shortens the leases that this lengthened to one period.
    pub async fn expire_due(&self) -> Result<u64> {
        self.require_running()?;
        let mut db = self.store.glance().await?;
        let now = self.store.lease_now(&mut db).await?;
        // Looking costs no sync; only a sweep that finds something writes.
        let needed = rows::needs_sweep(&mut db, now).await?;
        drop(db);
        if !needed {
            return Ok(0);
        }
        let expired = self.store.write(move |tx| Box::pin(rows::expire(tx))).await;
        self.note_change();
        expired
    }

    /// Whether it serves.
    pub fn is_running(&self) -> bool {
        !self.stopped.is_cancelled()
    }

    /// Takes no calls any more: whoever waits for a lease gets [`DatabaseError::Stopped`], as does
    /// every later call. Claims and revocations under way go on to their end.
    pub fn stop(&self) {
        self.stopped.cancel();
        self.claiming.close();
        self.revoking.close();
    }

    /// Stops, and waits for the claims and revocations under way; false when `bound` came
    /// first. Those that are not decided then get [`DatabaseError::Stopped`], and the store may
    /// still carry them out: the row says who won, and a claimant that asks again extends it.
    pub async fn shut_down(&self, bound: Duration) -> bool {
        self.stop();
        let ended = async {
            self.claiming.wait().await;
            self.revoking.wait().await;
        };
        let clock = self.store.clock();
        let in_time = periapt_engine::clock::timeout(clock.as_ref(), bound, ended).await;
        self.abandoned.cancel();
        in_time.is_some()
    }

    /// Changes when a call has ended that may have changed a lease, a pin or a number of the
    /// report.
    pub fn changed(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn note_change(&self) {
        self.changed.send_replace(());
    }

    fn require_running(&self) -> Result<()> {
        if self.stopped.is_cancelled() {
            Err(DatabaseError::Stopped.into())
        } else {
            Ok(())
        }
    }
}

/// A caller that waits for a lease, counted also when it goes away in the middle.
struct Waiting<'m>(&'m Counters);

impl<'m> Waiting<'m> {
    fn begin(counters: &'m Counters) -> Self {
        counters.waiting.fetch_add(1, Ordering::Relaxed);
        Self(counters)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
