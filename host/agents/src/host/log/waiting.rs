//! Lines that wait to be sent, each writer with a share of its own.
//!
//! A writer is a module of one entity: what a unit's charm says is one, what its uniter says is
//! another, and so is each part of the agent. Whoever writes more than its share loses its own
//! oldest lines and nobody else's. What charms write is bounded besides by rate, since a controller
//! that takes lines as fast as they come would have its log filled by one unit.
//!
//! Plain data: it knows no clock, and whoever uses it holds a lock.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use periapt_model::bounds::{
    LOG_BURST_BYTES, LOG_BURST_LINES, LOG_BYTES_A_SECOND, LOG_LINES_A_SECOND, LOG_WAITING_BYTES,
    LOG_WAITING_LINES,
};
use periapt_wire::agent::log_sink::LogRecord;

/// What a line without text weighs.
const LINE_BYTES: u64 = 100;

/// Writers whose lines are bounded by rate: the charms.
const CHARM: &str = ".juju-log";

/// See the module.
#[derive(Debug)]
pub(super) struct Waiting {
    /// Lines of all writers.
    capacity: usize,
    /// In the order in which they came, by numbers that only say that.
    lines: BTreeMap<i64, LogRecord>,
    /// By [`writer_of`].
    writers: BTreeMap<String, Writer>,
    next: i64,
}

/// What one writer has here.
#[derive(Debug)]
struct Writer {
    /// Numbers of its lines, oldest first.
    lines: VecDeque<i64>,
    bytes: u64,
    /// One of the lines that were dropped, and how many there were.
    dropped: Option<(LogRecord, u64)>,
    budget: Budget,
}

impl Waiting {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity: capacity.max(1),
            lines: BTreeMap::new(),
            writers: BTreeMap::new(),
            next: 0,
        }
    }

    /// Adds a line. `now` is monotonic.
    pub(super) fn push(&mut self, record: LogRecord, now: Duration) {
        if !self.admit(&record, now) {
            return;
        }
        let number = self.next;
        self.next += 1;
        self.insert(number, record, now, VecDeque::push_back);
        self.fit();
    }

    /// Whether its writer may log one more line; if not, it is counted as dropped.
    pub(super) fn admit(&mut self, record: &LogRecord, now: Duration) -> bool {
        if !record.module.ends_with(CHARM) {
            return true;
        }
        let writer = self.writer(record, now);
        let may = writer.budget.spend(weight(record), now);
        if !may {
            writer.drop_line(record.clone());
        }
        may
    }

    /// Puts a line back before all others, as far as there is room.
    pub(super) fn push_front(&mut self, record: LogRecord, now: Duration) {
        let first = self.lines.first_key_value();
        let number = first.map_or(self.next, |(number, _)| *number) - 1;
        self.insert(number, record, now, VecDeque::push_front);
        self.fit();
    }

    /// Takes the oldest lines, at most so many.
    pub(super) fn take(&mut self, most: usize) -> Vec<LogRecord> {
        let mut taken = Vec::new();
        while taken.len() < most
            && let Some((_, record)) = self.lines.pop_first()
        {
            if let Some(writer) = self.writers.get_mut(&writer_of(&record)) {
                writer.lines.pop_front();
                writer.bytes = writer.bytes.saturating_sub(weight(&record));
            }
            taken.push(record);
        }
        taken
    }

    /// Of each writer that lost lines one of them and how many they were, told once. Forgets
    /// writers of whom there is nothing to remember.
    pub(super) fn take_dropped(&mut self, now: Duration) -> Vec<(LogRecord, u64)> {
        let dropped = self.writers.values_mut();
        let dropped = dropped.filter_map(|writer| writer.dropped.take()).collect();
        self.writers
            .retain(|_, writer| !writer.lines.is_empty() || !writer.budget.is_whole(now));
        dropped
    }

    fn writer(&mut self, record: &LogRecord, now: Duration) -> &mut Writer {
        let writer = self.writers.entry(writer_of(record));
        writer.or_insert_with(|| Writer {
            lines: VecDeque::new(),
            bytes: 0,
            dropped: None,
            budget: Budget::whole(now),
        })
    }

    fn insert(
        &mut self,
        number: i64,
        record: LogRecord,
        now: Duration,
        at: fn(&mut VecDeque<i64>, i64),
    ) {
        let writer = self.writer(&record, now);
        at(&mut writer.lines, number);
        writer.bytes += weight(&record);
        let over = LOG_WAITING_LINES.exceeded_by(writer.lines.len())
            || writer.bytes > LOG_WAITING_BYTES.most;
        let name = over.then(|| writer_of(&record));
        self.lines.insert(number, record);
        if let Some(name) = name {
            self.drop_oldest(&name);
        }
    }

    /// Everybody is within its share; when that is too much together, the largest gives.
    fn fit(&mut self) {
        while self.lines.len() > self.capacity {
            let largest = self
                .writers
                .iter()
                .max_by_key(|(_, writer)| writer.lines.len());
            let Some(name) = largest.map(|(name, _)| name.clone()) else {
                return;
            };
            self.drop_oldest(&name);
        }
    }

    fn drop_oldest(&mut self, name: &str) {
        let Some(writer) = self.writers.get_mut(name) else {
            return;
        };
        while let Some(number) = writer.lines.pop_front() {
            if let Some(record) = self.lines.remove(&number) {
                writer.bytes = writer.bytes.saturating_sub(weight(&record));
                writer.drop_line(record);
            }
            if writer.bytes <= LOG_WAITING_BYTES.most {
                return;
            }
        }
    }
}

impl Writer {
    fn drop_line(&mut self, record: LogRecord) {
        match &mut self.dropped {
            Some((_, count)) => *count += 1,
            none => *none = Some((record, 1)),
        }
    }
}

/// Services of all units of an application have the same module.
fn writer_of(record: &LogRecord) -> String {
    format!("{} {}", record.entity, record.module)
}

fn weight(record: &LogRecord) -> u64 {
    LINE_BYTES + record.message.len() as u64
}

/// What a charm may write at once, and how fast it may go on.
#[derive(Debug)]
struct Budget {
    lines: f64,
    bytes: f64,
    at: Duration,
}

impl Budget {
    fn whole(now: Duration) -> Self {
        Self {
            lines: LOG_BURST_LINES.most as f64,
            bytes: LOG_BURST_BYTES.most as f64,
            at: now,
        }
    }

    fn refill(&mut self, now: Duration) {
        let passed = now.saturating_sub(self.at).as_secs_f64();
        let whole = Self::whole(now);
        self.lines = (self.lines + passed * LOG_LINES_A_SECOND.most as f64).min(whole.lines);
        self.bytes = (self.bytes + passed * LOG_BYTES_A_SECOND.most as f64).min(whole.bytes);
        self.at = self.at.max(now);
    }

    /// False when there is not enough left.
    fn spend(&mut self, bytes: u64, now: Duration) -> bool {
        self.refill(now);
        let enough = self.lines >= 1.0 && self.bytes >= bytes as f64;
        if enough {
            self.lines -= 1.0;
            self.bytes -= bytes as f64;
        }
        enough
    }

    fn is_whole(&mut self, now: Duration) -> bool {
        self.refill(now);
        let whole = Self::whole(now);
        self.lines >= whole.lines && self.bytes >= whole.bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: Duration = Duration::ZERO;

    fn line(module: &str, message: &str) -> LogRecord {
        LogRecord {
            time: 0,
            entity: "unit-site-0".parse().unwrap(),
            level: "INFO".to_owned(),
            module: module.to_owned(),
            message: message.to_owned(),
        }
    }

    fn messages(lines: &[LogRecord]) -> Vec<&str> {
        lines.iter().map(|line| line.message.as_str()).collect()
    }

    #[test]
    fn a_flood_pushes_out_its_own_lines_only() {
        let mut waiting = Waiting::new(10_000);
        waiting.push(line("unit.quiet/0.juju-log", "hello"), START);
        for _ in 0..1_000_000 {
            // Without a text, a line weighs as much as any other.
            waiting.push(line("unit.loud/0.juju-log", ""), START);
        }
        waiting.push(line("unit.quiet/0.juju-log", "still here"), START);
        assert!(waiting.lines.len() <= LOG_WAITING_LINES.length() + 2);
        let dropped = waiting.take_dropped(START);
        assert_eq!(dropped.len(), 1);
        assert_eq!(dropped[0].0.module, "unit.loud/0.juju-log");
        assert_eq!(dropped[0].1, 1_000_000 - LOG_WAITING_LINES.most);
        assert_eq!(waiting.take_dropped(START), [], "told once");
        let taken = waiting.take(usize::MAX);
        assert_eq!(taken.first().unwrap().message, "hello");
        assert_eq!(taken.last().unwrap().message, "still here");
    }

    #[test]
    fn a_charm_that_goes_on_writing_is_held_to_its_rate() {
        let mut waiting = Waiting::new(10_000);
        let mut kept = 0;
        // A second's flood each second, and a controller that takes all of it.
        for second in 0..100 {
            for _ in 0..10_000 {
                waiting.push(
                    line("unit.loud/0.juju-log", "x"),
                    Duration::from_secs(second),
                );
            }
            kept += waiting.take(usize::MAX).len() as u64;
        }
        assert!(
            kept <= LOG_BURST_LINES.most + 100 * LOG_LINES_A_SECOND.most,
            "{kept}"
        );
        assert!(kept >= 99 * LOG_LINES_A_SECOND.most, "{kept}");
        // The same in bytes.
        let mut waiting = Waiting::new(10_000);
        let long = "x".repeat(8 << 10);
        let mut kept = 0;
        for second in 0..100 {
            for _ in 0..1_000 {
                waiting.push(
                    line("unit.loud/0.juju-log", &long),
                    Duration::from_secs(second),
                );
            }
            kept += waiting.take(usize::MAX).iter().map(weight).sum::<u64>();
        }
        assert!(
            kept <= LOG_BURST_BYTES.most + 100 * LOG_BYTES_A_SECOND.most,
            "{kept}"
        );
        // Agents are trusted to write what matters.
        for _ in 0..LOG_WAITING_LINES.most {
            waiting.push(line("periapt.agents", &"x".repeat(10)), START);
        }
        assert_eq!(
            waiting.take(usize::MAX).len() as u64,
            LOG_WAITING_LINES.most
        );
    }

    #[test]
    fn a_full_buffer_takes_from_the_largest() {
        let mut waiting = Waiting::new(4);
        for (module, message) in [("a", "1"), ("b", "2"), ("b", "3"), ("b", "4"), ("a", "5")] {
            waiting.push(line(module, message), START);
        }
        let dropped = waiting.take_dropped(START);
        assert_eq!((dropped[0].0.module.as_str(), dropped[0].1), ("b", 1));
        assert_eq!(messages(&waiting.take(9)), ["1", "3", "4", "5"]);
    }

    #[test]
    fn lines_given_back_come_first_again() {
        let mut waiting = Waiting::new(10);
        for message in ["1", "2", "3"] {
            waiting.push(line("a", message), START);
        }
        let taken = waiting.take(2);
        for record in taken.into_iter().rev() {
            waiting.push_front(record, START);
        }
        assert_eq!(messages(&waiting.take(9)), ["1", "2", "3"]);
        assert_eq!(waiting.take_dropped(START), []);
        assert!(waiting.writers.is_empty(), "nothing to remember");
    }

    proptest! {
        #[test]
        fn every_line_is_sent_or_counted(
            steps in proptest::collection::vec((0_u8..4, 0_usize..2000), 1..400),
            capacity in 1_usize..50,
        ) {
            let mut waiting = Waiting::new(capacity);
            let (mut pushed, mut taken, mut dropped) = (0_u64, 0_u64, 0_u64);
            for (what, size) in steps {
                match what {
                    0 => {
                        let batch = waiting.take(size % 7);
                        let back = size % 2 == 0;
                        if back {
                            for record in batch.into_iter().rev() {
                                waiting.push_front(record, START);
                            }
                        } else {
                            taken += batch.len() as u64;
                        }
                    }
                    module => {
                        pushed += 1;
                        let module = format!("unit.a/{module}.juju-log");
                        waiting.push(line(&module, &"x".repeat(size)), START);
                    }
                }
                prop_assert!(waiting.lines.len() <= capacity);
                let numbers: usize = waiting.writers.values().map(|writer| writer.lines.len()).sum();
                prop_assert_eq!(numbers, waiting.lines.len());
            }
            dropped += waiting.take_dropped(START).iter().map(|(_, count)| count).sum::<u64>();
            taken += waiting.take(usize::MAX).len() as u64;
            prop_assert_eq!(pushed, taken + dropped);
        }
    }
}
