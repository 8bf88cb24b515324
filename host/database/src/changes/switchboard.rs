//! Who subscribed to what, indexed so that a change costs only those it concerns.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::fresh::{Batch, Fresh, Next};
use super::interest::Want;
use super::subscription::Mailbox;
use super::{Change, Interest, Subscription};

type Set = HashMap<u64, Arc<Mailbox>>;

#[derive(Default)]
struct NamespaceIndex {
    all: Set,
    keys: HashMap<String, Set>,
}

#[derive(Default)]
struct ModelIndex {
    everything: Set,
    namespaces: HashMap<&'static str, NamespaceIndex>,
}

#[derive(Default)]
struct Index {
    next: u64,
    models: HashMap<Option<String>, ModelIndex>,
    subscribers: HashMap<u64, (Interest, Arc<Mailbox>)>,
    closed: bool,
}

/// The subscriptions of one database, and how far the change log has been handed out.
pub(crate) struct Switchboard {
    index: Mutex<Index>,
    position: AtomicI64,
    running: AtomicBool,
    /// None where others write to the change log as well.
    fresh: Option<Mutex<Fresh>>,
    pub(super) committed: Notify,
    /// Held by the one dispatcher that may run.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Switchboard {
    /// `alone`: nobody but this process writes to the change log.
    pub(crate) fn new(position: i64, alone: bool) -> Self {
        Self {
            index: Mutex::default(),
            position: AtomicI64::new(position),
            running: AtomicBool::new(false),
            fresh: alone.then(|| Mutex::new(Fresh::new(position))),
            committed: Notify::new(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    pub(crate) fn position(&self) -> i64 {
        self.position.load(Ordering::SeqCst)
    }

    pub(super) fn set_position(&self, position: i64) {
        self.position.store(position, Ordering::SeqCst);
    }

    /// The dispatcher runs until the guard is dropped. Its holder has the turn.
    pub(super) fn running(&self) -> Running<'_> {
        self.running.store(true, Ordering::SeqCst);
        Running(&self.running)
    }

    pub(super) fn is_running(&self) -> bool {
        self.running.load(Ordering::SeqCst)
    }

    /// Takes what was committed to the dispatcher.
    pub(crate) fn hand_over(&self, batch: Batch) {
        if let Some(fresh) = &self.fresh {
            fresh
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .put(batch);
        }
        self.wake();
    }

    /// Where the dispatcher goes on.
    pub(super) fn next(&self) -> Next {
        match &self.fresh {
            Some(fresh) => fresh
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .after(self.position()),
            None => Next::Log,
        }
    }

    /// Something was committed.
    pub(super) fn wake(&self) {
        self.committed.notify_one();
    }

    pub(crate) fn subscriptions(&self) -> usize {
        self.lock().subscribers.len()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Ends every subscription, now and later.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.end_all();
        self.committed.notify_one();
    }

    /// Ends every subscription: its holder has to read the state anew.
    pub(super) fn end_all(&self) {
        for (_, mailbox) in self.lock().subscribers.values() {
            mailbox.end();
        }
    }

    pub(super) fn subscribe(self: &Arc<Self>, interest: Interest) -> Subscription {
        let mailbox = Arc::new(Mailbox::default());
        let mut index = self.lock();
        index.next += 1;
        let id = index.next;
        if index.closed {
            mailbox.end();
        }
        let model = index.models.entry(interest.model.clone()).or_default();
        for want in &interest.wants {
            let set = match want {
                Want::Everything => &mut model.everything,
                Want::All(namespace) => &mut model.namespaces.entry(namespace).or_default().all,
                Want::Key(namespace, key) => model
                    .namespaces
                    .entry(namespace)
                    .or_default()
                    .keys
                    .entry(key.clone())
                    .or_default(),
            };
            set.insert(id, Arc::clone(&mailbox));
        }
        index
            .subscribers
            .insert(id, (interest, Arc::clone(&mailbox)));
        drop(index);
        Subscription {
            id,
            mailbox,
            switchboard: Arc::clone(self),
        }
    }

    pub(super) fn unsubscribe(&self, id: u64) {
        let mut index = self.lock();
        let Some((interest, _)) = index.subscribers.remove(&id) else {
            return;
        };
        let Some(model) = index.models.get_mut(&interest.model) else {
            return;
        };
        for want in &interest.wants {
            match want {
                Want::Everything => {
                    model.everything.remove(&id);
                }
                Want::All(namespace) => {
                    if let Some(entry) = model.namespaces.get_mut(namespace) {
                        entry.all.remove(&id);
                    }
                }
                Want::Key(namespace, key) => {
                    if let Some(entry) = model.namespaces.get_mut(namespace)
                        && let Some(set) = entry.keys.get_mut(key)
                    {
                        set.remove(&id);
                        if set.is_empty() {
                            entry.keys.remove(key);
                        }
                    }
                }
            }
        }
        model
            .namespaces
            .retain(|_, entry| !entry.all.is_empty() || !entry.keys.is_empty());
        if model.everything.is_empty() && model.namespaces.is_empty() {
            index.models.remove(&interest.model);
        }
    }

    /// Leaves a change with everyone whom it concerns.
    pub(super) fn dispatch(&self, change: &Change) {
        let index = self.lock();
        for model in [Some(change.model.clone()), None] {
            let Some(model) = index.models.get(&model) else {
                continue;
            };
            let namespace = model.namespaces.get(change.namespace);
            let sets = [
                Some(&model.everything),
                namespace.map(|namespace| &namespace.all),
                namespace.and_then(|namespace| namespace.keys.get(&change.key)),
            ];
            for mailbox in sets.into_iter().flatten().flat_map(HashMap::values) {
                mailbox.put(change);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives the dispatcher runs.
pub(super) struct Running<'a>(&'a AtomicBool);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
