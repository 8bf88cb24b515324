//! The last events, in order, bounded in number and in bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Cursor, Entry};

/// How much a ring keeps.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub events: usize,
    pub bytes: usize,
    /// Bytes of one [`Part`], or one event if that is larger.
    pub part: usize,
}

impl Default for Limits {
    /// A minute of a very busy controller, a day of a quiet one.
    fn default() -> Self {
        Self {
            events: 50_000,
            bytes: 32 << 20,
            part: 64 << 10,
        }
    }
}

/// What follows a cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub entries: Vec<Arc<Entry>>,
    /// Where to read on from.
    pub cursor: Cursor,
}

/// Why there is no telling what follows a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missed {
    /// Some of what follows is not kept any more.
    TooOld,
    /// This feed never came there: its database is another, or an older copy.
    Ahead,
}

/// The ring. Cursors of its entries strictly ascend.
#[derive(Debug)]
pub struct Ring {
    limits: Limits,
    entries: VecDeque<Arc<Entry>>,
    bytes: usize,
    /// Everything after this is here.
    floor: Cursor,
    head: i64,
}

impl Ring {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            entries: VecDeque::new(),
            bytes: 0,
            floor: Cursor::end(0),
            head: 0,
        }
    }

    /// Forgets everything. What is pushed from now on is all that came after `position`.
    pub fn begin(&mut self, position: i64) {
        self.entries.clear();
        self.bytes = 0;
        self.floor = Cursor::end(position);
        self.head = position;
    }

    /// Adds the events up to position `head`, all of them after what is there.
    pub fn push(&mut self, entries: Vec<Entry>, head: i64) {
        for entry in entries {
            self.bytes += entry.data.len();
            self.entries.push_back(Arc::new(entry));
        }
        self.head = self.head.max(head);
        while self.entries.len() > self.limits.events || self.bytes > self.limits.bytes {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= oldest.data.len();
            self.floor = oldest.cursor.clone();
        }
    }

    /// What follows a place, up to about the size of a part.
    pub fn after(&self, cursor: &Cursor) -> Result<Part, Missed> {
        if *cursor < self.floor {
            return Err(Missed::TooOld);
        }
        if cursor.sequence() > self.head {
            return Err(Missed::Ahead);
        }
        let first = self
            .entries
            .partition_point(|entry| entry.cursor <= *cursor);
        let mut part = Part {
            entries: Vec::new(),
            cursor: cursor.clone(),
        };
        let mut bytes = 0;
        for entry in self.entries.range(first..) {
            bytes += entry.data.len();
            part.entries.push(Arc::clone(entry));
            part.cursor = entry.cursor.clone();
            if bytes >= self.limits.part {
                return Ok(part);
            }
        }
        part.cursor = Cursor::end(self.head);
        Ok(part)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn floor(&self) -> &Cursor {
        &self.floor
    }

    pub fn head(&self) -> i64 {
        self.head
    }
}
