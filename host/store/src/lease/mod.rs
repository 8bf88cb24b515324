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
//! next tick. A third is a kindness: as the store opens, a lease whose holder could not renew it
//! during the outage gets one more period, so that leaderships do not move for nothing.

use std::time::Duration;

use periapt_model::{ApplicationName, ModelUuid, Tag, UnitName};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio_util::sync::CancellationToken;

use crate::db::params;
use crate::error::StoreError;
use crate::{Result, Store};

mod namespace;
pub(crate) mod rows;
#[cfg(test)]
mod tests;
mod wakes;

pub use namespace::Namespace;
pub(crate) use wakes::Wakes;

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
    waiting: AtomicU64,
}

/// Serves leases until it is stopped; clones are the same manager. The rows outlive it, those
/// who wait do not.
#[derive(Clone)]
pub struct Manager {
    store: Store,
    stopped: CancellationToken,
    counters: Arc<Counters>,
}

impl Manager {
    pub fn new(store: &Store) -> Self {
        Self {
            store: store.clone(),
            stopped: CancellationToken::new(),
            counters: Arc::default(),
        }
    }

    /// Claims the lease, or extends it when `holder` has it already.
    /// [`StoreError::LeaseDenied`] while another holds it.
    pub async fn claim(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        holder: &str,
        duration: Duration,
    ) -> Result<()> {
        self.require_running()?;
        check_names(namespace, name, holder)?;
        if duration.is_zero() {
            return Err(StoreError::bad_request(
                "a lease needs a duration greater than zero",
            ));
        }
        self.counters.claims.fetch_add(1, Ordering::Relaxed);
        // Most claims come from the many units that do not lead: they need not wait for the
        // writer, nor others for them.
        if self.held_by_another(namespace, model, name, holder).await? {
            self.counters.denied.fetch_add(1, Ordering::Relaxed);
            return Err(StoreError::LeaseDenied {
                lease: name.to_owned(),
            });
        }
        let (model, name, holder) = (model.clone(), name.to_owned(), holder.to_owned());
        let claimed = self
            .store
            .write(move |tx| {
                Box::pin(async move {
                    rows::claim(tx, namespace, &model, &name, &holder, duration).await
                })
            })
            .await;
        if matches!(claimed, Err(StoreError::LeaseDenied { .. })) {
            self.counters.denied.fetch_add(1, Ordering::Relaxed);
        }
        claimed
    }

    async fn held_by_another(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        holder: &str,
    ) -> Result<bool> {
        let mut db = self.store.glance().await?;
        let Some(held) = rows::find(&mut db, namespace, model, name).await? else {
            return Ok(false);
        };
        Ok(held.holder != holder && !held.is_over(self.store.lease_now(&mut db).await?))
    }

    /// Returns when the lease can be claimed: at once if it can be now.
    pub async fn wait_until_expired(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
    ) -> Result<()> {
        self.counters.waiting.fetch_add(1, Ordering::Relaxed);
        let waited = self.wait(namespace, model, name).await;
        self.counters.waiting.fetch_sub(1, Ordering::Relaxed);
        waited
    }

    async fn wait(&self, namespace: Namespace, model: &ModelUuid, name: &str) -> Result<()> {
        let clock = self.store.clock();
        loop {
            self.require_running()?;
            let wakes = &self.store.inner.wakes;
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
                () = self.stopped.cancelled() => return Err(StoreError::Stopped),
            }
        }
    }

    /// Gives the lease back; nobody holding it is fine, another holding it is
    /// [`StoreError::LeaseDenied`]. Waiters hear of it at once.
    pub async fn revoke(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        holder: &str,
    ) -> Result<()> {
        self.require_running()?;
        let (model, name, holder) = (model.clone(), name.to_owned(), holder.to_owned());
        self.store
            .write(move |tx| {
                Box::pin(async move { rows::revoke(tx, namespace, &model, &name, &holder).await })
            })
            .await
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

    /// Keeps the lease with its holder, whatever the time, until `entity` unpins it. Idempotent.
    pub async fn pin(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        entity: &Tag,
    ) -> Result<()> {
        let params = params![namespace.as_str(), model, name, entity.to_string()];
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let sql = "INSERT INTO lease_pin (namespace, model_uuid, name, entity)
                        VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
                    tx.db.execute(sql, params).await.map(|_| ())
                })
            })
            .await
    }

    /// Undoes `pin` of the same entity. Idempotent.
    pub async fn unpin(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        entity: &Tag,
    ) -> Result<()> {
        let params = params![namespace.as_str(), model, name, entity.to_string()];
        let touched = (model.clone(), format!("{namespace}/{name}"));
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let sql = "DELETE FROM lease_pin
                        WHERE namespace = $1 AND model_uuid = $2 AND name = $3 AND entity = $4";
                    if tx.db.execute(sql, params).await? > 0 {
                        tx.touch(&touched.0, crate::changes::namespace::LEASE, touched.1);
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Pinned leases with the entities that pin them.
    pub async fn pinned(&self) -> Result<Vec<(Lease, Vec<String>)>> {
        let mut db = self.store.snapshot().await?;
        let leases = rows::all(&mut db).await?;
        let pins = db
            .fetch(
                "SELECT namespace, model_uuid, name, entity FROM lease_pin ORDER BY entity",
                vec![],
            )
            .await?;
        let mut pinned = Vec::new();
        for lease in leases {
            let mut entities = Vec::new();
            for pin in &pins {
                if pin.str(0)? == lease.namespace.as_str()
                    && pin.str(1)? == lease.model.as_str()
                    && pin.str(2)? == lease.name
                {
                    entities.push(pin.text(3)?);
                }
            }
            if !entities.is_empty() {
                pinned.push((lease, entities));
            }
        }
        Ok(pinned)
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
        self.store.write(move |tx| Box::pin(rows::expire(tx))).await
    }

    /// Whether it serves.
    pub fn is_running(&self) -> bool {
        !self.stopped.is_cancelled()
    }

    /// Ends the manager: whoever waits gets [`StoreError::Stopped`], as does every later call.
    pub fn stop(&self) {
        self.stopped.cancel();
    }

    /// Numbers for the worker report.
    pub fn report(&self) -> serde_json::Value {
        json!({
            "claims": self.counters.claims.load(Ordering::Relaxed),
            "denied": self.counters.denied.load(Ordering::Relaxed),
            "waiting": self.counters.waiting.load(Ordering::Relaxed),
        })
    }

    fn require_running(&self) -> Result<()> {
        if self.stopped.is_cancelled() {
            Err(StoreError::Stopped)
        } else {
            Ok(())
        }
    }
}

/// The secretary: refuses names that cannot be leases or holders.
fn check_names(namespace: Namespace, name: &str, holder: &str) -> Result<()> {
    match namespace {
        Namespace::ApplicationLeadership => {
            let application: ApplicationName = name.parse()?;
            let unit: UnitName = holder.parse()?;
            if unit.application() != application {
                return Err(StoreError::bad_request(format!(
                    "{unit} is not a unit of {application}"
                )));
            }
        }
        Namespace::SingularController => {
            let _: ModelUuid = name.parse()?;
            match holder.parse()? {
                Tag::Controller(_) | Tag::Machine(_) | Tag::Agent(_) => {}
                other => {
                    return Err(StoreError::bad_request(format!(
                        "{other} is no controller or machine agent"
                    )));
                }
            }
        }
    }
    Ok(())
}
