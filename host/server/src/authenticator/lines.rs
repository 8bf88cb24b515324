//! Lines before something slow: for each key one at a time, and few who wait.
//!
//! A line is there as long as somebody stands in it, so nothing has to be swept.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) struct Lines<K: Clone + Eq + Hash> {
    longest: usize,
    lines: Mutex<HashMap<K, Line>>,
}

struct Line {
    front: Arc<Semaphore>,
    length: usize,
}

impl<K: Clone + Eq + Hash> Lines<K> {
    /// Lines of at most so many, the one at the front included.
    pub(super) fn new(longest: usize) -> Self {
        Self {
            longest,
            lines: Mutex::default(),
        }
    }

    /// Joins the line of a key; none when it is full.
    pub(super) fn join(&self, key: K) -> Option<Waiting<'_, K>> {
        let mut lines = self.lock();
        let line = lines.entry(key.clone()).or_insert_with(|| Line {
            front: Arc::new(Semaphore::new(1)),
            length: 0,
        });
        if line.length >= self.longest {
            return None;
        }
        line.length += 1;
        let front = Arc::clone(&line.front);
        Some(Waiting {
            lines: self,
            key,
            front,
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Line>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who stands in a line.
pub(super) struct Waiting<'l, K: Clone + Eq + Hash> {
    lines: &'l Lines<K>,
    key: K,
    front: Arc<Semaphore>,
}

impl<K: Clone + Eq + Hash> Waiting<'_, K> {
    /// Waits for the front, which is kept until the permit is dropped.
    pub(super) async fn front(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed; without a permit the order is all that is missing.
        Arc::clone(&self.front).acquire_owned().await.ok()
    }
}

impl<K: Clone + Eq + Hash> Drop for Waiting<'_, K> {
    fn drop(&mut self) {
        let mut lines = self.lines.lock();
        if let Some(line) = lines.get_mut(&self.key) {
            line.length -= 1;
            if line.length == 0 {
                lines.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_line_turns_away_and_another_does_not() {
        let lines = Lines::new(2);
        let (first, second) = (lines.join("a").unwrap(), lines.join("a").unwrap());
        assert!(lines.join("a").is_none());
        assert!(lines.join("b").is_some());
        let front = first.front().await;
        let mut waits = Box::pin(second.front());
        assert!(futures::poll!(waits.as_mut()).is_pending());
        drop((front, first));
        assert!(futures::poll!(waits.as_mut()).is_ready());
        drop(waits);
        drop(second);
        assert!(lines.lock().is_empty());
    }
}
