//! Lines on their way to `debug-log`: a bounded buffer between whoever logs and the log sender.
//!
//! Logging never waits. Whoever writes more than can be kept loses its own lines ([`waiting`]), and
//! the next batch begins with a line of its own that says how many.

mod waiting;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::SharedClock;
use periapt_model::Tag;
use periapt_uniter::HookLog;
use periapt_wire::agent::log_sink::LogRecord;
use tokio::sync::Notify;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer};

use super::levels::{Level, SharedLevels};
use waiting::Waiting;

/// Lines kept of all writers together.
pub const CAPACITY: usize = 10_000;
/// Lines sent in one call.
pub const BATCH: usize = 500;

/// Clones are the same buffer.
#[derive(Clone)]
pub struct LogBuffer {
    shared: Arc<Shared>,
}

struct Shared {
    entity: Tag,
    clock: SharedClock,
    levels: SharedLevels,
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

impl LogBuffer {
    /// An empty buffer; `entity` is who logs when a line names nobody else.
    #[must_use]
    pub fn new(entity: Tag, clock: SharedClock, levels: SharedLevels, capacity: usize) -> Self {
        Self {
            shared: Arc::new(Shared {
                entity,
                clock,
                levels,
                waiting: Mutex::new(Waiting::new(capacity)),
                arrived: Notify::new(),
            }),
        }
    }

    /// Adds a line that has passed its level.
    pub fn push(&self, record: LogRecord) {
        let now = self.shared.clock.monotonic();
        self.lock().push(record, now);
        self.shared.arrived.notify_one();
    }

    /// Waits for lines and takes the oldest ones. For one taker.
    pub async fn take(&self) -> Vec<LogRecord> {
        loop {
            let batch = self.take_now();
            if !batch.is_empty() {
                return batch;
            }
            self.shared.arrived.notified().await;
        }
    }

    /// Gives lines back that could not be sent, as far as there is room.
    pub fn give_back(&self, batch: Vec<LogRecord>) {
        let now = self.shared.clock.monotonic();
        let mut waiting = self.lock();
        for record in batch.into_iter().rev() {
            waiting.push_front(record, now);
        }
        drop(waiting);
        self.shared.arrived.notify_one();
    }

    fn take_now(&self) -> Vec<LogRecord> {
        let now = self.shared.clock.monotonic();
        let mut waiting = self.lock();
        let dropped = waiting.take_dropped(now);
        let mut batch: Vec<_> = dropped
            .into_iter()
            .map(|(one, count)| self.dropped(one, count))
            .collect();
        batch.extend(waiting.take(BATCH));
        batch
    }

    /// Said in the name of whoever lost them, so that it is found where they are missed.
    fn dropped(&self, one: LogRecord, count: u64) -> LogRecord {
        let lines = if count == 1 { "line" } else { "lines" };
        LogRecord {
            time: self.shared.clock.now().as_microsecond(),
            level: "WARNING".to_owned(),
            message: format!(
                "{count} {lines} of {} dropped: it writes more than can be kept until it is sent",
                one.module
            ),
            module: "periapt.logsender".to_owned(),
            entity: one.entity,
        }
    }

    fn wants(&self, record: &LogRecord) -> bool {
        let level = Level::parse(&record.level).unwrap_or(Level::Info);
        self.shared.levels.wants(&record.module, level)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl HookLog for LogBuffer {
    fn write(&self, record: LogRecord) {
        if self.wants(&record) {
            self.push(record);
        }
    }

    fn admit(&self, mut records: Vec<LogRecord>) -> Vec<LogRecord> {
        records.retain(|record| self.wants(record));
        let wanted = records.len();
        let now = self.shared.clock.monotonic();
        let mut waiting = self.lock();
        records.retain(|record| waiting.admit(record, now));
        drop(waiting);
        if records.len() < wanted {
            // That lines are missing is said in a line of its own.
            self.shared.arrived.notify_one();
        }
        records
    }
}

/// What the process's own code traces goes into the buffer too.
impl<S: tracing::Subscriber> Layer<S> for LogBuffer {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let (level, word) = match *metadata.level() {
            tracing::Level::TRACE => (Level::Trace, "TRACE"),
            tracing::Level::DEBUG => (Level::Debug, "DEBUG"),
            tracing::Level::INFO => (Level::Info, "INFO"),
            tracing::Level::WARN => (Level::Warning, "WARNING"),
            tracing::Level::ERROR => (Level::Error, "ERROR"),
        };
        let module = metadata.target().replace("::", ".");
        if !self.shared.levels.wants(&module, level) {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        self.push(LogRecord {
            time: self.shared.clock.now().as_microsecond(),
            entity: self.shared.entity.clone(),
            level: word.to_owned(),
            module,
            message: text.message + &text.fields,
        });
    }
}

#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write;
        // Writing to a string cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
