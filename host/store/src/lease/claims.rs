//! Claims and revocations: what waits for a slow store, how long, and how often it is tried.
//!
//! A claim that the store cannot answer is tried again, as Juju does: ten tries, with pauses from
//! 50 ms that grow by 1.6, spread by chance so that units that failed together do not come back
//! together. A try lasts two seconds at most: all of them with their pauses take less than the
//! thirty seconds for which a leader may rely on its lease, so a leader that cannot renew hears
//! of it while its word still holds.
//!
//! A try that was given up may still be carried out by the store. That does no harm: the same
//! holder's next claim extends the row, and an extension is never shorter than the holder thinks.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use periapt_engine::clock;
use periapt_model::ModelUuid;

use super::{Manager, Namespace, rows, secretary};
use crate::DatabaseError;
use crate::Result;
use crate::error::StoreError;

/// Juju's: ten tries, pauses from 50 ms that grow by 1.6.
const TRIES: u32 = 10;
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const GROWTH: f64 = 1.6;

/// How long the store may take for one try.
pub(super) const TRY: Duration = Duration::from_secs(2);

/// Whose lease a call is about.
#[derive(Clone)]
struct Wanted {
    namespace: Namespace,
    model: ModelUuid,
    name: String,
    holder: String,
}

impl Manager {
    /// Claims the lease, or extends it when `holder` has it already.
    /// [`StoreError::LeaseDenied`] while another holds it, [`StoreError::LeaseTimedOut`] when
    /// the store did not answer for all of the tries. A unit that is not there
    /// ([`StoreError::NotFound`]) or dead ([`StoreError::NotAlive`]) leads nothing, and a process
    /// that was removed from the controller ([`StoreError::NodeRemoved`]) acts for no model.
    pub async fn claim(
        &self,
        namespace: Namespace,
        model: &ModelUuid,
        name: &str,
        holder: &str,
        duration: Duration,
    ) -> Result<()> {
        self.require_running()?;
        secretary::check(namespace, name, holder)?;
        if duration.is_zero() {
            return Err(StoreError::bad_request(
                "a lease needs a duration greater than zero",
            ));
        }
        let wanted = Wanted {
            namespace,
            model: model.clone(),
            name: name.to_owned(),
            holder: holder.to_owned(),
        };
        self.counters.claims.fetch_add(1, Ordering::Relaxed);
        self.note_change();
        let claimed = tokio::select! {
            biased;
            claimed = self.claim_with_patience(&wanted, duration) => claimed,
            () = self.abandoned.cancelled() => Err(DatabaseError::Stopped.into()),
        };
        let counter = match &claimed {
            Err(StoreError::LeaseDenied { .. }) => Some(&self.counters.denied),
            Err(StoreError::LeaseTimedOut { .. }) => Some(&self.counters.timed_out),
            _ => None,
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.note_change();
        claimed
    }

    async fn claim_with_patience(&self, wanted: &Wanted, duration: Duration) -> Result<()> {
        let store_clock = self.store.clock();
        let under_way = Arc::new(self.claiming.token());
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            // The store's jobs hold on to the token too: a claim is under way for as long as
            // one of its tries may still be carried out.
            let held = Arc::clone(&under_way);
            let tried = self.try_claim(wanted, duration, held);
            let failed = match clock::timeout(store_clock.as_ref(), TRY, tried).await {
                Some(Err(error)) if error.may_pass() => Some(error),
                Some(decided) => return decided,
                None => None,
            };
            if attempt == TRIES {
                tracing::warn!(lease = %wanted.name, holder = %wanted.holder, error = ?failed, "a claim was given up");
                break;
            }
            self.counters.retried.fetch_add(1, Ordering::Relaxed);
            let spread = pause.mul_f64(self.randomness.jitter());
            tokio::select! {
                () = store_clock.sleep(spread) => {}
                () = self.stopped.cancelled() => return Err(DatabaseError::Stopped.into()),
            }
            pause = pause.mul_f64(GROWTH);
        }
        Err(StoreError::LeaseTimedOut {
            lease: wanted.name.clone(),
        })
    }

    async fn try_claim(
        &self,
        wanted: &Wanted,
        duration: Duration,
        under_way: impl Send + 'static,
    ) -> Result<()> {
        // Most claims come from the many units that do not lead: they need not wait for the
        // writer, nor others for them.
        if self.held_by_another(wanted).await? {
            return Err(StoreError::LeaseDenied {
                lease: wanted.name.clone(),
            });
        }
        let wanted = wanted.clone();
        self.store
            .write(move |tx| {
                Box::pin(async move {
                    let _under_way = under_way;
                    let Wanted {
                        namespace,
                        model,
                        name,
                        holder,
                    } = &wanted;
                    rows::claim(tx, *namespace, model, name, holder, duration).await
                })
            })
            .await
    }

    async fn held_by_another(&self, wanted: &Wanted) -> Result<bool> {
        let mut db = self.store.glance().await?;
        let held = rows::find(&mut db, wanted.namespace, &wanted.model, &wanted.name).await?;
        let Some(held) = held.filter(|held| held.holder != wanted.holder) else {
            return Ok(false);
        };
        Ok(!held.is_over(self.store.lease_now(&mut db).await?))
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
        secretary::check(namespace, name, holder)?;
        let (model, name, holder) = (model.clone(), name.to_owned(), holder.to_owned());
        let under_way = self.revoking.token();
        let revoked = self.store.write(move |tx| {
            Box::pin(async move {
                let _under_way = under_way;
                rows::revoke(tx, namespace, &model, &name, &holder).await
            })
        });
        let revoked = tokio::select! {
            biased;
            revoked = revoked => revoked,
            () = self.abandoned.cancelled() => Err(DatabaseError::Stopped.into()),
        };
        self.note_change();
        revoked
    }
}
