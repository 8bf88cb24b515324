//! Wakes those who wait for a lease to become free.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::changes::namespace;
use crate::tx::Touched;

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

    /// Wakes the waiters of every lease among the changes.
    pub(crate) fn wake(&self, touched: &[Touched]) {
        for change in touched
            .iter()
            .filter(|change| change.namespace == namespace::LEASE)
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(notify) = waiting.remove(&(change.model.clone(), change.key.clone())) {
                notify.notify_waiters();
            }
        }
    }
}
