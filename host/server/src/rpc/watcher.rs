//! The watchers of one connection.
//!
//! A watcher is a subscription of the change stream in a box, or a counter within the process;
//! it costs no task while nobody waits for it. An event belongs to the watcher until a `Next`
//! returns it: a `Next` that is dropped or taken over leaves it for the following one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_store::Subscription;
use periapt_wire::rpc::Changes;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::error::RpcError;
use super::session::Session;
use crate::facades::Names;
use crate::metrics::{Counted, Metrics};

/// Watchers of one connection. An agent with ten thousand units needs some fifty thousand.
pub const WATCHERS: usize = 1 << 17;

/// Where a watcher's events come from.
pub enum Source {
    /// Something changed, no matter what.
    Notify(Box<Subscription>),
    /// The keys that changed.
    Keys(Box<Subscription>),
    /// What a look at the store makes of the change.
    Named(Box<Subscription>, Box<dyn Names>),
    /// Questions within the process.
    Counter(watch::Receiver<u64>),
}

struct Slot {
    source: tokio::sync::Mutex<Live>,
    /// Ends the `Next` that waits now, for another takes over.
    waiting: Mutex<CancellationToken>,
    stopped: CancellationToken,
    _counted: Counted,
}

struct Live {
    source: Source,
    /// Something changed, but what it means was not looked up to the end.
    dirty: bool,
}

/// The registry: ids are the numbers from 1.
pub struct Watchers {
    metrics: Metrics,
    last: AtomicU64,
    slots: Mutex<HashMap<String, Arc<Slot>>>,
}

impl Watchers {
    pub fn new(metrics: Metrics) -> Self {
        Self {
            metrics,
            last: AtomicU64::new(0),
            slots: Mutex::default(),
        }
    }

    pub fn add(&self, source: Source) -> Result<String, RpcError> {
        let mut slots = self.lock();
        if slots.len() >= WATCHERS {
            return Err(RpcError::new(
                Refusal::TryAgain,
                format!("a connection may hold {WATCHERS} watchers; stop some"),
            ));
        }
        let id = (self.last.fetch_add(1, Ordering::Relaxed) + 1).to_string();
        let slot = Slot {
            source: tokio::sync::Mutex::new(Live {
                source,
                dirty: false,
            }),
            waiting: Mutex::new(CancellationToken::new()),
            stopped: CancellationToken::new(),
            _counted: self.metrics.watcher(),
        };
        slots.insert(id.clone(), Arc::new(slot));
        Ok(id)
    }

    /// Waits for the next event. A `Next` that waits already is answered with `try again`.
    pub async fn next(&self, id: &str, session: &Session) -> Result<Changes, RpcError> {
        let slot = self.lock().get(id).cloned().ok_or_else(unknown)?;
        let mine = CancellationToken::new();
        std::mem::replace(
            &mut *slot.waiting.lock().unwrap_or_else(PoisonError::into_inner),
            mine.clone(),
        )
        .cancel();
        tokio::select! {
            biased;
            () = slot.stopped.cancelled() => Err(RpcError::stopped("watcher was stopped")),
            () = mine.cancelled() => Err(RpcError::new(Refusal::TryAgain, "another request waits for this watcher")),
            changes = async { slot.source.lock().await.next(session).await } => Ok(Changes { changes: changes? }),
        }
    }

    pub fn stop(&self, id: &str) -> Result<(), RpcError> {
        let slot = self.lock().remove(id).ok_or_else(unknown)?;
        slot.stopped.cancel();
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.lock().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// No await stands between the taking of an event and its return, or the event is marked
    /// as not yet delivered.
    async fn next(&mut self, session: &Session) -> Result<Vec<String>, RpcError> {
        match &mut self.source {
            Source::Notify(subscription) => {
                subscription.next().await?;
                Ok(Vec::new())
            }
            // A subscription names a key at most once per namespace, and these have one namespace.
            Source::Keys(subscription) => Ok(subscription
                .next()
                .await?
                .into_iter()
                .map(|change| change.key)
                .collect()),
            Source::Named(subscription, names) => loop {
                if !self.dirty {
                    subscription.next().await?;
                    self.dirty = true;
                }
                let named = names.look(session).await?;
                self.dirty = false;
                if !named.is_empty() {
                    return Ok(named);
                }
            },
            Source::Counter(questions) => {
                questions
                    .changed()
                    .await
                    .map_err(|_| RpcError::stopped("watcher was stopped"))?;
                Ok(Vec::new())
            }
        }
    }
}

fn unknown() -> RpcError {
    RpcError::new(Refusal::NotFound(Subject::Watcher), "unknown watcher id")
}
