//! One subscriber's end: changes collect here, each key at most once, until they are taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::{Change, Switchboard};
use crate::error::Error;

type Key = (String, &'static str, String);

#[derive(Default)]
struct Pending {
    positions: HashMap<Key, i64>,
    most: Option<usize>,
    ended: bool,
}

impl Pending {
    fn keep_bound(&mut self) {
        if self.most.is_some_and(|most| self.positions.len() > most) {
            self.positions = HashMap::new();
            self.ended = true;
        }
    }
}

/// Where the dispatcher leaves changes. Bounded by the number of distinct keys, whatever the
/// number of changes.
#[derive(Default)]
pub(super) struct Mailbox {
    pending: Mutex<Pending>,
    filled: Notify,
}

impl Mailbox {
    pub(super) fn put(&self, change: &Change) {
        let key = (change.model.clone(), change.namespace, change.key.clone());
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.ended {
            return;
        }
        pending.positions.insert(key, change.position);
        pending.keep_bound();
        drop(pending);
        self.filled.notify_one();
    }

    fn bound(&self, most: Option<usize>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.most = most;
        pending.keep_bound();
    }

    /// No more will come; whoever waits is told.
    pub(super) fn end(&self) {
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .ended = true;
        self.filled.notify_one();
    }

    fn take(&self) -> Option<Result<Vec<Change>, Error>> {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        if pending.positions.is_empty() {
            return pending.ended.then_some(Err(Error::Stopped));
        }
        let positions = std::mem::take(&mut pending.positions);
        drop(pending);
        let mut changes: Vec<Change> = positions
            .into_iter()
            .map(|((model, namespace, key), position)| Change {
                position,
                model,
                namespace,
                key,
            })
            .collect();
        changes.sort_by_key(|change| change.position);
        Some(Ok(changes))
    }
}

/// Changes for one subscriber; dropped, it unsubscribes.
pub struct Subscription {
    pub(super) id: u64,
    pub(super) mailbox: Arc<Mailbox>,
    pub(super) switchboard: Arc<Switchboard>,
}

impl Subscription {
    /// Waits for changes and takes all there are: a key at most once, with the position of its
    /// last change, in ascending order. [`Error::Stopped`] once no more can come. Nothing
    /// is lost when the future is dropped.
    pub async fn next(&mut self) -> Result<Vec<Change>, Error> {
        loop {
            if let Some(changes) = self.mailbox.take() {
                return changes;
            }
            self.mailbox.filled.notified().await;
        }
    }

    /// Holds no more than so many changes until they are taken, or any number again. With one more
    /// it ends: the subscriber has to read the state anew.
    pub fn hold_at_most(&mut self, most: Option<usize>) {
        self.mailbox.bound(most);
    }

    /// What there is now, without waiting.
    pub fn take_now(&mut self) -> Vec<Change> {
        self.mailbox.take().and_then(Result::ok).unwrap_or_default()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.switchboard.unsubscribe(self.id);
    }
}
