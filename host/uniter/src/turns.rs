//! When a hook may run: it needs the lock of its machine, on which hooks run one at a time, and,
//! while it computes, one of the places that all machines of the process share.
//!
//! Who is next is `periapt_model::turns`'s decision. Here are the clock, the wake-ups, and what
//! somebody is told who wonders why a hook does not begin: who has a machine, who waits for it
//! and for what, and who had it last.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::task::Asked;
use periapt_model::turns::{self, Lock, Request, Room, Ticket, WaitsFor};
use periapt_model::{MachineId, UnitName};
use periapt_wire::rest::{LockTurn, MachineLockReport};
use tokio::sync::Notify;

#[cfg(test)]
mod tests;

/// Turns that are remembered of each machine.
const HISTORY: usize = 50;

/// Clones are the same queue.
#[derive(Clone)]
pub struct Turns {
    clock: SharedClock,
    book: Arc<Mutex<Book>>,
    /// A turn has ended.
    ended: Arc<Notify>,
}

struct Book {
    queue: turns::Turns,
    entries: BTreeMap<Ticket, Entry>,
    /// Newest first.
    history: BTreeMap<MachineId, VecDeque<LockTurn>>,
}

struct Entry {
    lock: Lock,
    told: LockTurn,
    /// It has got a place.
    come: Arc<Notify>,
    /// What it waits for may be another thing now.
    moved: Arc<Notify>,
    /// Since when it has a place, or had one until its guest went to sleep, on the clock's monotonic
    /// time.
    place_since: Option<Duration>,
    /// How long it had one before.
    computed: Duration,
    /// How much of that is written down.
    charged: Duration,
}

impl Book {
    /// Writes down what a turn used of its place until now, at the time at which it did: half of what was used
    /// ten seconds ago counts no more.
    fn account(&mut self, ticket: Ticket, now: Duration) {
        self.queue.pass(now);
        if let Some(entry) = self.entries.get_mut(&ticket)
            && entry.gives_place(now)
            && self
                .queue
                .charge(ticket, entry.computed.saturating_sub(entry.charged))
        {
            entry.charged = entry.computed;
        }
    }
}

impl Entry {
    /// The machine whose lock it has or waits for.
    fn machine(&self) -> Option<&MachineId> {
        match &self.lock {
            Lock::Machine(machine) => Some(machine),
            Lock::Group(..) | Lock::Unit(_) => None,
        }
    }

    /// Adds for how long it has just had a place, which it has no more; false if it had none.
    fn gives_place(&mut self, now: Duration) -> bool {
        let Some(since) = self.place_since.take() else {
            return false;
        };
        self.computed += now.saturating_sub(since);
        true
    }
}

/// Somebody in the queue, then a turn; it ends when this is dropped. The turn comes with a place,
/// which it can give back and ask for again.
pub struct Turn {
    turns: Turns,
    ticket: Ticket,
    unit: UnitName,
    come: Arc<Notify>,
    moved: Arc<Notify>,
    asked: Duration,
    pauses: Pauses,
}

/// How long a hook that ran has waited without a part of its time: for a place to go on, and for a
/// resource. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Pauses(Arc<AtomicU64>);

impl Pauses {
    pub fn add(&self, waited: Duration) {
        let nanoseconds = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

impl Turns {
    pub fn new(clock: SharedClock, room: Room) -> Self {
        let book = Book {
            queue: turns::Turns::new(room),
            entries: BTreeMap::new(),
            history: BTreeMap::new(),
        };
        Self {
            clock,
            book: Arc::new(Mutex::new(book)),
            ended: Arc::default(),
        }
    }

    /// Lines up for a hook of a unit, or a task, that takes this lock.
    pub fn line_up(&self, unit: &UnitName, lock: Lock, hook: &str) -> Turn {
        let (come, moved) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        // Whoever waits looks once at what it waits for.
        moved.notify_one();
        let request = Request {
            unit: unit.clone(),
            lock: lock.clone(),
            hook: hook.to_owned(),
        };
        let told = LockTurn {
            reason: reason(unit, hook),
            requested_at: self.clock.now().as_microsecond(),
            acquired_at: None,
            released_at: None,
        };
        let mut book = self.book();
        let ticket = book.queue.ask(request);
        let entry = Entry {
            lock,
            told,
            come: come.clone(),
            moved: moved.clone(),
            place_since: None,
            computed: Duration::ZERO,
            charged: Duration::ZERO,
        };
        book.entries.insert(ticket, entry);
        self.grant(&mut book);
        Turn {
            turns: self.clone(),
            ticket,
            unit: unit.clone(),
            come,
            moved,
            asked: self.clock.monotonic(),
            pauses: Pauses::default(),
        }
    }

    /// Machines with hooks that run, wait or ran: who has each, who waits, who had it.
    pub fn report(&self) -> Vec<MachineLockReport> {
        let book = self.book();
        let busy = book.entries.values().filter_map(Entry::machine);
        let machines: BTreeSet<&MachineId> = busy.chain(book.history.keys()).collect();
        let report = |machine: &&MachineId| {
            let told = |ticket: Ticket, entry: &Entry| {
                let mut told = entry.told.clone();
                if let Some(place @ WaitsFor::Place { .. }) = book.queue.waits_for(ticket) {
                    told.reason = format!("{} ({place})", told.reason);
                }
                told
            };
            let holder = book.entries.iter().find(|(_, entry)| {
                entry.machine() == Some(*machine) && entry.told.acquired_at.is_some()
            });
            let waiting = |ticket: Ticket| Some(told(ticket, book.entries.get(&ticket)?));
            let history = book.history.get(*machine);
            MachineLockReport {
                model: String::new(),
                machine: (*machine).clone(),
                holder: holder.map(|(ticket, entry)| told(*ticket, entry)),
                queue: book
                    .queue
                    .line(&Lock::Machine((*machine).clone()))
                    .into_iter()
                    .filter_map(waiting)
                    .collect(),
                history: history.into_iter().flatten().cloned().collect(),
            }
        };
        machines.iter().map(report).collect()
    }

    /// Waits until no hook of a machine runs, nor a task that takes turns with others there. One that is
    /// in line has yet to begin.
    pub async fn quiet(&self, machine: &MachineId) {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            ended.as_mut().enable();
            if !self.is_busy(machine) {
                return;
            }
            ended.await;
        }
    }

    fn is_busy(&self, machine: &MachineId) -> bool {
        let book = self.book();
        let mut entries = book.entries.values();
        entries.any(|entry| {
            let here = match &entry.lock {
                Lock::Machine(of) | Lock::Group(of, _) => of == machine,
                Lock::Unit(_) => false,
            };
            here && entry.told.acquired_at.is_some()
        })
    }

    /// Forgets a machine that is gone.
    pub fn forget(&self, machine: &MachineId) {
        self.book().history.remove(machine);
    }

    fn grant(&self, book: &mut Book) {
        let now = self.clock.monotonic();
        book.queue.pass(now);
        for ticket in book.queue.grant() {
            let Some(entry) = book.entries.get_mut(&ticket) else {
                continue;
            };
            entry.place_since = Some(now);
            entry.come.notify_one();
            if entry.told.acquired_at.is_none() {
                entry.told.acquired_at = Some(self.clock.now().as_microsecond());
                let lock = entry.lock.clone();
                tell(book, &lock);
            }
        }
    }

    fn end(&self, ticket: Ticket) {
        let mut book = self.book();
        book.account(ticket, self.clock.monotonic());
        let Some(entry) = book.entries.remove(&ticket) else {
            return;
        };
        book.queue.end(ticket, entry.computed);
        if entry.told.acquired_at.is_some() {
            if let Some(machine) = entry.machine() {
                let history = book.history.entry(machine.clone()).or_default();
                history.push_front(LockTurn {
                    released_at: Some(self.clock.now().as_microsecond()),
                    ..entry.told.clone()
                });
                history.truncate(HISTORY);
            }
            tell(&book, &entry.lock);
        }
        self.grant(&mut book);
        drop(book);
        self.ended.notify_waiters();
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells those who wait for a lock that they wait for something else now.
fn tell(book: &Book, lock: &Lock) {
    for ticket in book.queue.line(lock) {
        if let Some(entry) = book.entries.get(&ticket) {
            entry.moved.notify_one();
        }
    }
}

fn reason(unit: &UnitName, hook: &str) -> String {
    match Asked::of(hook) {
        Some(_) => format!("{unit}: run {hook}"),
        None => format!("{unit}: run {hook} hook"),
    }
}

impl Turn {
    /// Whether the hook may compute: its turn has come, and it has not stepped aside since.
    pub fn has_come(&self) -> bool {
        self.turns.book().queue.has_place(self.ticket)
    }

    /// Waits until the hook may compute, or, once it has been so since the last call, until what
    /// is waited for may be another thing. True when it may. May be dropped and called again.
    pub async fn comes_or_moves(&self) -> bool {
        if self.has_come() {
            return true;
        }
        tokio::select! {
            () = self.come.notified() => {}
            () = self.moved.notified() => {}
        }
        self.has_come()
    }

    /// Waits until the hook may compute. May be dropped and called again.
    pub async fn comes(&self) {
        while !self.has_come() {
            self.come.notified().await;
        }
    }

    /// Gives the place to others while the hook does not compute; its machine stays its own.
    pub fn step_aside(&self) {
        let mut book = self.turns.book();
        book.account(self.ticket, self.turns.clock.monotonic());
        book.queue.step_aside(self.ticket);
        self.turns.grant(&mut book);
    }

    /// The same while the guest sleeps, which counts as if it computed.
    pub fn rest(&self) {
        let mut book = self.turns.book();
        book.queue.step_aside(self.ticket);
        self.turns.grant(&mut book);
    }

    /// Gives the place to whoever is before this hook now, and asks for one again. If nobody is, it has
    /// one at once.
    pub fn pause(&self) {
        let mut book = self.turns.book();
        book.account(self.ticket, self.turns.clock.monotonic());
        book.queue.step_aside(self.ticket);
        book.queue.step_in(self.ticket);
        self.turns.grant(&mut book);
    }

    /// Asks for a place again, which comes as the turn itself did.
    pub fn step_in(&self) {
        let mut book = self.turns.book();
        if !book.queue.has_place(self.ticket) {
            // It may have slept.
            book.account(self.ticket, self.turns.clock.monotonic());
        }
        book.queue.step_in(self.ticket);
        // Whoever waits looks once at what it waits for.
        self.moved.notify_one();
        self.turns.grant(&mut book);
    }

    /// What it waits for; none while it has what it asked for.
    pub fn waits_for(&self) -> Option<WaitsFor> {
        self.turns.book().queue.waits_for(self.ticket)
    }

    /// Another hook of the unit is to be run in the same turn.
    pub fn rename(&self, hook: &str) {
        let mut book = self.turns.book();
        book.queue.rename(self.ticket, hook);
        if let Some(entry) = book.entries.get_mut(&self.ticket) {
            entry.told.reason = reason(&self.unit, hook);
        }
    }

    /// When it was asked for, on the clock's monotonic time.
    pub fn asked(&self) -> Duration {
        self.asked
    }

    /// How long its hook has waited for a place to go on.
    pub fn pauses(&self) -> &Pauses {
        &self.pauses
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.end(self.ticket);
    }
}
