//! Who may have how many connections: no client, known or not, takes the place of all others.
//!
//! A connection is *open* until something that was proven rests on it: until its login, and
//! between two requests. Open ones end without harm, so when their places are all taken the
//! oldest one of the address that has the most makes room for the newcomer, who is never refused.
//! A request of somebody known holds its connection until it is answered; an answer without an
//! end and a session of a person hold one of a limited number of places, of which no account has
//! all; agents have what is left, which is never nothing. Whoever floods the port from the
//! agents' own address therefore displaces only connections that have proven nothing.
//!
//! Nothing here waits or reads a socket: the listener asks before it serves, the gate and the
//! websocket when somebody is known.

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thiserror::Error;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::identity::Identity;

#[cfg(test)]
mod tests;

/// How many connections of each kind there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Of all kinds.
    pub connections: usize,
    /// Open ones, with those on which a single request is being answered.
    pub open: usize,
    /// Answers without end and sessions, of all people together.
    pub lasting: usize,
    /// The same of one account.
    pub lasting_of_one: usize,
    /// Requests of one account that are being answered.
    pub requests_of_one: usize,
    /// Sessions of one agent. It has one; others are leftovers of a lost network.
    pub sessions_of_agent: usize,
}

/// Connections where file descriptors allow.
const CONNECTIONS: u64 = 4096;
/// Descriptors that are not for connections: database, log, children, files being served.
const RESERVED: u64 = 256;

impl Budgets {
    /// Descriptors that a process needs for the most connections.
    pub const DESCRIPTORS: u64 = CONNECTIONS + RESERVED;

    /// What a process with this many file descriptors can keep.
    #[must_use]
    pub fn of_descriptors(limit: u64) -> Self {
        let connections = match limit {
            few if few < 4 * RESERVED => few / 2,
            many => many - RESERVED,
        };
        Self::of(usize::try_from(connections.min(CONNECTIONS)).unwrap_or(usize::MAX))
    }

    /// A quarter for open ones, half for people, and so a quarter that only agents can take.
    #[must_use]
    pub fn of(connections: usize) -> Self {
        let connections = connections.max(8);
        let (open, lasting) = (connections / 4, connections / 2);
        Self {
            connections,
            open,
            lasting,
            lasting_of_one: lasting / 4 * 3,
            requests_of_one: (open / 2).max(1),
            sessions_of_agent: 4,
        }
    }
}

impl Default for Budgets {
    fn default() -> Self {
        Self::of_descriptors(Self::DESCRIPTORS)
    }
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub(crate) enum Crowded {
    #[error("this account has reached its limit of connections and requests in progress")]
    Account,
    #[error("the controller has reached its limit of long-lived user connections")]
    People,
}

/// All places of one listener. Clones share them.
#[derive(Clone)]
pub(super) struct Places {
    shared: Arc<Shared>,
}

struct Shared {
    budgets: Budgets,
    book: Mutex<Book>,
    /// A place was given back, or may be taken from its connection.
    changed: Notify,
}

#[derive(Default)]
struct Book {
    next: u64,
    entries: HashMap<u64, Entry>,
    /// Open connections that may be ended, by address, the oldest first.
    idle: HashMap<IpAddr, BTreeSet<(u64, u64)>>,
    requests: HashMap<String, usize>,
    lasting: HashMap<String, usize>,
    agents: HashMap<String, BTreeSet<u64>>,
    /// Entries that were told to end and are still there.
    leaving: usize,
    /// Entries that have not left, neither lasting nor an agent's.
    open: usize,
    people: usize,
}

struct Entry {
    network: IpAddr,
    /// Ends the connection.
    cut: CancellationToken,
    standing: Standing,
}

enum Standing {
    /// May be ended; the number says since when.
    Idle(u64),
    Request(String),
    Lasting(String),
    Agent(String),
    Leaving,
}

impl Places {
    pub(super) fn new(budgets: Budgets) -> Self {
        Self {
            shared: Arc::new(Shared {
                budgets,
                book: Mutex::default(),
                changed: Notify::new(),
            }),
        }
    }

    /// A place for a connection from this address; others may have to end for it. None when all
    /// are held by somebody known: wait for [`Places::changed`].
    pub(super) fn enter(&self, peer: IpAddr, cut: CancellationToken) -> Option<Place> {
        let budgets = self.shared.budgets;
        let network = network(peer);
        let mut book = self.shared.lock();
        if book.entries.len() - book.leaving >= budgets.connections || book.open >= budgets.open {
            let ended = book.end_oldest();
            if !ended && book.entries.len() - book.leaving >= budgets.connections {
                return None;
            }
        }
        // Those that leave still have their descriptors.
        if book.entries.len() >= budgets.connections + budgets.connections / 16 {
            return None;
        }
        let id = book.number();
        let entry = Entry {
            network,
            cut,
            standing: Standing::Idle(id),
        };
        book.entries.insert(id, entry);
        book.idle.entry(network).or_default().insert((id, id));
        book.open += 1;
        drop(book);
        Some(Place {
            shared: self.shared.clone(),
            id,
        })
    }

    /// Ends one open connection, when file descriptors are short; whether there was one.
    pub(super) fn make_room(&self) -> bool {
        self.shared.lock().end_oldest()
    }

    /// Waits until there may be a place where there was none.
    pub(super) async fn changed(&self) {
        self.shared.changed.notified().await;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Tells the oldest open connection of the address that has the most to end.
    fn end_oldest(&mut self) -> bool {
        let oldest = self
            .idle
            .values()
            .max_by_key(|of_one| of_one.len())
            .and_then(|of_one| of_one.first().copied());
        match oldest {
            Some((_, id)) => {
                self.end(id);
                true
            }
            None => false,
        }
    }

    fn end(&mut self, id: u64) {
        self.release(id);
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.standing = Standing::Leaving;
            entry.cut.cancel();
            self.leaving += 1;
        }
    }

    /// Takes an entry out of the count of its standing; the caller gives it another.
    fn release(&mut self, id: u64) {
        let Some(entry) = self.entries.get_mut(&id) else {
            return;
        };
        match std::mem::replace(&mut entry.standing, Standing::Leaving) {
            Standing::Idle(since) => {
                if let Some(of_one) = self.idle.get_mut(&entry.network) {
                    of_one.remove(&(since, id));
                    if of_one.is_empty() {
                        self.idle.remove(&entry.network);
                    }
                }
                self.open -= 1;
            }
            Standing::Request(who) => {
                less(&mut self.requests, &who);
                self.open -= 1;
            }
            Standing::Lasting(who) => {
                less(&mut self.lasting, &who);
                self.people -= 1;
            }
            Standing::Agent(who) => {
                if let Some(sessions) = self.agents.get_mut(&who) {
                    sessions.remove(&id);
                    if sessions.is_empty() {
                        self.agents.remove(&who);
                    }
                }
            }
            Standing::Leaving => self.leaving -= 1,
        }
    }

    fn stands(&self, id: u64) -> bool {
        self.entries
            .get(&id)
            .is_some_and(|entry| !matches!(entry.standing, Standing::Leaving))
    }

    fn give(&mut self, id: u64, standing: Standing) {
        match &standing {
            Standing::Idle(since) => {
                let Some(network) = self.entries.get(&id).map(|entry| entry.network) else {
                    return;
                };
                self.idle.entry(network).or_default().insert((*since, id));
                self.open += 1;
            }
            Standing::Request(who) => {
                *self.requests.entry(who.clone()).or_default() += 1;
                self.open += 1;
            }
            Standing::Lasting(who) => {
                *self.lasting.entry(who.clone()).or_default() += 1;
                self.people += 1;
            }
            Standing::Agent(who) => {
                self.agents.entry(who.clone()).or_default().insert(id);
            }
            Standing::Leaving => {}
        }
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.standing = standing;
        }
    }
}

fn less(counts: &mut HashMap<String, usize>, who: &str) {
    if let Some(count) = counts.get_mut(who) {
        *count -= 1;
        if *count == 0 {
            counts.remove(who);
        }
    }
}

/// Who has a network of IPv6 has all of its addresses.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

/// One connection's place; dropped when the connection is gone.
pub(crate) struct Place {
    shared: Arc<Shared>,
    id: u64,
}

impl Place {
    /// Holds the connection for one request of somebody known.
    pub(crate) fn request(self: &Arc<Self>, who: &Identity) -> Result<Hold, Crowded> {
        let who = who.to_string();
        let mut book = self.shared.lock();
        let count = book.requests.get(&who).copied().unwrap_or_default();
        if count >= self.shared.budgets.requests_of_one {
            return Err(Crowded::Account);
        }
        Ok(self.hold(&mut book, Standing::Request(who)))
    }

    /// Holds the connection for a session, or an answer without end.
    pub(crate) fn session(self: &Arc<Self>, who: &Identity) -> Result<Hold, Crowded> {
        let budgets = self.shared.budgets;
        let mut book = self.shared.lock();
        let standing = match who {
            Identity::User { .. } => {
                let who = who.to_string();
                let count = book.lasting.get(&who).copied().unwrap_or_default();
                if count >= budgets.lasting_of_one {
                    return Err(Crowded::Account);
                }
                if book.people >= budgets.lasting {
                    return Err(Crowded::People);
                }
                Standing::Lasting(who)
            }
            Identity::Agent { .. } | Identity::Controller { .. } => {
                let who = who.to_string();
                let sessions = book.agents.get(&who);
                let oldest = sessions
                    .filter(|sessions| sessions.len() >= budgets.sessions_of_agent)
                    .and_then(|sessions| sessions.first().copied());
                if let Some(oldest) = oldest {
                    book.end(oldest);
                }
                Standing::Agent(who)
            }
        };
        Ok(self.hold(&mut book, standing))
    }

    fn hold(self: &Arc<Self>, book: &mut Book, standing: Standing) -> Hold {
        if book.stands(self.id) {
            book.release(self.id);
            book.give(self.id, standing);
        }
        Hold {
            place: Arc::clone(self),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut book = self.shared.lock();
        book.release(self.id);
        // A released entry counts as one that leaves no longer: it is gone.
        book.entries.remove(&self.id);
        drop(book);
        self.shared.changed.notify_one();
    }
}

/// Keeps a connection from being ended for a newcomer; without it the connection is open again.
pub(crate) struct Hold {
    place: Arc<Place>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut book = self.place.shared.lock();
        if book.stands(self.place.id) {
            book.release(self.place.id);
            let since = book.number();
            book.give(self.place.id, Standing::Idle(since));
            drop(book);
            self.place.shared.changed.notify_one();
        }
    }
}
