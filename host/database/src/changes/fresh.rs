//! What this process has committed and its dispatcher has not come to yet, kept in memory so that
//! the change log need not be read back. The log stays the truth: whatever does not follow on what
//! was handed out, since there was too much of it or since somebody else wrote in between, is read
//! from there.

use std::collections::VecDeque;

use crate::tx::Touched;

/// Changes that are kept; with more of them the dispatcher is far behind, and reads.
const MOST: usize = 10_000;

/// The changes of one commit.
pub(crate) struct Batch {
    /// Where the sequence of row numbers stood when its transaction began.
    pub begun: i64,
    /// Place of its last change; the others have the places before it.
    pub last: i64,
    pub time: i64,
    pub touched: Vec<Touched>,
}

impl Batch {
    /// Each change with its place.
    pub(super) fn changes(self) -> impl Iterator<Item = (i64, Touched)> {
        let count = i64::try_from(self.touched.len()).unwrap_or(i64::MAX);
        (self.last - count + 1..).zip(self.touched)
    }
}

/// Where the dispatcher goes on.
pub(super) enum Next {
    Batch(Batch),
    /// In the change log.
    Log,
    /// Nowhere: it has come to everything.
    End,
}

pub(super) struct Fresh {
    batches: VecDeque<Batch>,
    changes: usize,
    /// Place of the last change that was put here.
    written: i64,
}

impl Fresh {
    pub(super) fn new(position: i64) -> Self {
        Self {
            batches: VecDeque::new(),
            changes: 0,
            written: position,
        }
    }

    pub(super) fn put(&mut self, batch: Batch) {
        if self.changes + batch.touched.len() > MOST {
            self.batches.clear();
            self.changes = 0;
        }
        self.written = batch.last;
        self.changes += batch.touched.len();
        self.batches.push_back(batch);
    }

    /// What follows on `position`.
    pub(super) fn after(&mut self, position: i64) -> Next {
        while let Some(first) = self.batches.front() {
            if first.last > position && first.begun > position {
                return Next::Log;
            }
            let Some(batch) = self.batches.pop_front() else {
                break;
            };
            self.changes -= batch.touched.len();
            if batch.last > position {
                return Next::Batch(batch);
            }
        }
        if self.written > position {
            Next::Log
        } else {
            Next::End
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(begun: i64, last: i64, count: usize) -> Batch {
        let touched = Touched {
            model: String::new(),
            namespace: "thing",
            key: String::new(),
        };
        Batch {
            begun,
            last,
            time: 0,
            touched: vec![touched; count],
        }
    }

    /// The places that come next; none where the log has to be read.
    fn places(fresh: &mut Fresh, position: i64) -> Option<Vec<i64>> {
        match fresh.after(position) {
            Next::Batch(batch) => Some(batch.changes().map(|(place, _)| place).collect()),
            Next::Log => None,
            Next::End => Some(Vec::new()),
        }
    }

    #[test]
    fn what_follows_is_handed_out_and_a_gap_is_read_from_the_log() {
        let mut fresh = Fresh::new(7);
        assert_eq!(places(&mut fresh, 7), Some(vec![]));
        // Rows took the numbers 8 and 9.
        fresh.put(batch(7, 11, 2));
        fresh.put(batch(11, 12, 1));
        assert_eq!(places(&mut fresh, 7), Some(vec![10, 11]));
        assert_eq!(places(&mut fresh, 11), Some(vec![12]));
        assert_eq!(places(&mut fresh, 12), Some(vec![]));
        // Somebody else wrote up to 20.
        fresh.put(batch(20, 21, 1));
        assert_eq!(places(&mut fresh, 12), None);
        // The log was read, in parts.
        fresh.put(batch(21, 24, 3));
        assert_eq!(places(&mut fresh, 22), Some(vec![22, 23, 24]));
        assert_eq!(places(&mut fresh, 24), Some(vec![]));
    }

    #[test]
    fn too_much_is_left_to_the_log() {
        let mut fresh = Fresh::new(0);
        let half = i64::try_from(MOST / 2).unwrap();
        for number in 0..3 {
            fresh.put(batch(number * half, (number + 1) * half, MOST / 2));
        }
        assert!(places(&mut fresh, 0).is_none());
        assert_eq!(places(&mut fresh, 2 * half).unwrap().len(), MOST / 2);
        assert_eq!(places(&mut fresh, 3 * half), Some(vec![]));
    }
}
