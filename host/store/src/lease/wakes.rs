//! Wakes those who wait for a lease to become free.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::changes::namespace;

/// Waiters by model and lease. An entry lives from the first wait to the next change.
#[derive(Default)]
pub(crate) struct Wakes {
    waiting: Mutex<HashMap<(String, String), Arc<Notify>>>,
}

impl Wakes {
    /// What is notified at the lease's next change.
    pub(super) fn register(&self, model: &str, key: String) -> Arc<Notify> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(waiting.entry((model.to_owned(), key)).or_default())
    }

    /// Wakes the waiters of what changed, if it is a lease.
    pub(crate) fn wake(&self, namespace: &str, model: &str, key: &str) {
        if namespace != namespace::LEASE {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(notify) = waiting.remove(&(model.to_owned(), key.to_owned())) {
            notify.notify_waiters();
        }
    }
}
