//! Who subscribed to what, indexed so that a change costs only those it concerns.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::interest::Want;
use super::subscription::Mailbox;
use super::{Change, Interest, Subscription, namespace};
use crate::tx::Touched;

/// Where the last change of any model itself is kept; no model is called so.
const MODELS: &str = "models";

fn raise(commits: &mut HashMap<String, i64>, namespace: &'static str, model: &str, position: i64) {
    if !namespace::shows_in_status(namespace) {
        return;
    }
    let own = (namespace == namespace::MODEL).then_some(MODELS);
    for name in [Some(model), own].into_iter().flatten() {
        match commits.get_mut(name) {
            Some(last) => *last = (*last).max(position),
            None => {
                commits.insert(name.to_owned(), position);
            }
        }
    }
}

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

/// The subscriptions of one store, and how far the change log has been handed out.
pub(crate) struct Switchboard {
    index: Mutex<Index>,
    position: AtomicI64,
    running: AtomicBool,
    commits: Mutex<HashMap<String, i64>>,
    pub(super) committed: Notify,
    /// Held by the one dispatcher that may run.
    pub(super) turn: tokio::sync::Mutex<()>,
}

impl Switchboard {
    pub(crate) fn new(position: i64) -> Self {
        Self {
            index: Mutex::default(),
            position: AtomicI64::new(position),
            running: AtomicBool::new(false),
            commits: Mutex::default(),
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

    /// Something was committed.
    pub(crate) fn wake(&self) {
        self.committed.notify_one();
    }

    /// Takes note of a commit of this process, before anybody is told that it stands.
    /// `position` is that of its last change.
    pub(crate) fn note(&self, touched: &[Touched], position: i64) {
        let mut commits = self.commits();
        for change in touched {
            raise(&mut commits, change.namespace, &change.model, position);
        }
    }

    /// Position of the last commit that may show in the model's status, as far as this process
    /// made it or heard of it. 0 when there was none since the store opened.
    pub(crate) fn last_commit(&self, model: &str) -> i64 {
        self.commits().get(model).copied().unwrap_or_default()
    }

    /// The same of models coming, going and changing themselves.
    pub(crate) fn last_commit_of_models(&self) -> i64 {
        self.last_commit(MODELS)
    }

    fn commits(&self) -> MutexGuard<'_, HashMap<String, i64>> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
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
        // Commits of other controllers are known from here on.
        raise(
            &mut self.commits(),
            change.namespace,
            &change.model,
            change.position,
        );
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
