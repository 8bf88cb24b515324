//! The lock of one machine: hooks of the units on it run one at a time, in the order in which
//! they asked. It knows who has it, who waits and who had it last, for whoever wonders why a
//! hook does not begin.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::SharedClock;
use periapt_model::MachineId;
use periapt_wire::rest::{LockTurn, MachineLockReport};
use tokio::sync::OwnedMutexGuard;

#[cfg(test)]
mod tests;

/// Turns that are remembered.
const HISTORY: usize = 50;

/// Clones are the same lock.
#[derive(Clone)]
pub struct MachineLock {
    clock: SharedClock,
    queue: Arc<tokio::sync::Mutex<()>>,
    book: Arc<Mutex<Book>>,
}

#[derive(Default)]
struct Book {
    next: u64,
    holder: Option<LockTurn>,
    waiting: VecDeque<(u64, LockTurn)>,
    /// Newest first.
    history: VecDeque<LockTurn>,
}

/// Held until dropped.
pub struct MachineLockGuard {
    lock: MachineLock,
    _turn: OwnedMutexGuard<()>,
}

impl MachineLock {
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            queue: Arc::default(),
            book: Arc::default(),
        }
    }

    /// Waits for the lock; `reason` is shown in reports, as in `site/0: run install hook`.
    pub async fn acquire(&self, reason: String) -> MachineLockGuard {
        let place = self.line_up(reason);
        let turn = self.queue.clone().lock_owned().await;
        place.take();
        MachineLockGuard {
            lock: self.clone(),
            _turn: turn,
        }
    }

    /// Who has it, who waits, who had it.
    pub fn report(&self, machine: &MachineId) -> MachineLockReport {
        let book = self.book();
        MachineLockReport {
            model: String::new(),
            machine: machine.clone(),
            holder: book.holder.clone(),
            queue: book.waiting.iter().map(|(_, turn)| turn.clone()).collect(),
            history: book.history.iter().cloned().collect(),
        }
    }

    fn line_up(&self, reason: String) -> Place {
        let mut book = self.book();
        book.next += 1;
        let number = book.next;
        let turn = LockTurn {
            reason,
            requested_at: self.now(),
            acquired_at: None,
            released_at: None,
        };
        book.waiting.push_back((number, turn));
        Place {
            lock: self.clone(),
            number,
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_microsecond()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the queue, left when whoever waits gives up.
struct Place {
    lock: MachineLock,
    number: u64,
}

impl Place {
    /// Its turn has come.
    fn take(self) {
        let turn = self.leave();
        let now = self.lock.now();
        self.lock.book().holder = turn.map(|turn| LockTurn {
            acquired_at: Some(now),
            ..turn
        });
    }

    fn leave(&self) -> Option<LockTurn> {
        let mut book = self.lock.book();
        let place = book
            .waiting
            .iter()
            .position(|(number, _)| *number == self.number)?;
        book.waiting.remove(place).map(|(_, turn)| turn)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Drop for MachineLockGuard {
    fn drop(&mut self) {
        let now = self.lock.now();
        let mut book = self.lock.book();
        if let Some(turn) = book.holder.take() {
            book.history.push_front(LockTurn {
                released_at: Some(now),
                ..turn
            });
            book.history.truncate(HISTORY);
        }
    }
}
