//! Who reads the feed. While nobody does it reads nothing of the store either: what changed stays
//! with its subscription, each name once, and is read when the next reader comes.

use std::sync::Arc;

use tokio::sync::watch;

/// How many read, and whether the ring has what they want.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    readers: u64,
    following: bool,
}

/// The readers of one feed. Clones count the same ones.
#[derive(Clone, Default)]
pub(super) struct Readers {
    state: Arc<watch::Sender<State>>,
}

impl Readers {
    /// One more reader, until the answer is dropped.
    pub(super) fn enter(&self) -> Reading {
        self.state.send_modify(|state| state.readers += 1);
        Reading {
            readers: self.clone(),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.state.borrow().readers
    }

    /// The feed stops following if nobody reads. Whether it follows.
    pub(super) fn still(&self) -> bool {
        self.state
            .send_if_modified(|state| state.readers == 0 && std::mem::take(&mut state.following));
        self.follows()
    }

    pub(super) fn follows(&self) -> bool {
        self.state.borrow().following
    }

    /// The ring has everything up to now, and will.
    pub(super) fn follow(&self) {
        self.state.send_modify(|state| state.following = true);
    }

    /// Comes when somebody reads.
    pub(super) async fn some(&self) {
        self.wait(|state| state.readers > 0).await;
    }

    /// Comes when nobody does.
    pub(super) async fn none(&self) {
        self.wait(|state| state.readers == 0).await;
    }

    async fn wait(&self, wanted: impl FnMut(&State) -> bool) {
        // The sender is this one's own, so that the wait ends with the state alone.
        let _ = self.state.subscribe().wait_for(wanted).await;
    }
}

/// A reader, as long as this lives.
pub(super) struct Reading {
    readers: Readers,
}

impl Reading {
    /// Comes when the ring has what was committed before, and it is heard of what comes.
    pub(super) async fn followed(&self) {
        self.readers.wait(|state| state.following).await;
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.readers.state.send_modify(|state| state.readers -= 1);
    }
}
