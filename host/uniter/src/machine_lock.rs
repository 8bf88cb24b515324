//! The lock of one machine: hooks of the units on it run one at a time, in the order in which
//! they asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::OwnedMutexGuard;

/// Clones are the same lock.
#[derive(Clone, Default)]
pub struct MachineLock {
    queue: Arc<tokio::sync::Mutex<()>>,
    holder: Arc<Mutex<Option<String>>>,
}

/// Held until dropped.
pub struct MachineLockGuard {
    holder: Arc<Mutex<Option<String>>>,
    _turn: OwnedMutexGuard<()>,
}

impl MachineLock {
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for the lock; `reason` is shown in reports, as in `site/0: run install hook`.
    pub async fn acquire(&self, reason: String) -> MachineLockGuard {
        let turn = self.queue.clone().lock_owned().await;
        *lock(&self.holder) = Some(reason);
        MachineLockGuard {
            holder: self.holder.clone(),
            _turn: turn,
        }
    }

    /// Who holds it.
    pub fn report(&self) -> Value {
        json!({ "holder": *lock(&self.holder) })
    }
}

impl Drop for MachineLockGuard {
    fn drop(&mut self) {
        *lock(&self.holder) = None;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
