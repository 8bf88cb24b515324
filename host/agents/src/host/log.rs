//! Lines on their way to `debug-log`: a bounded buffer between whoever logs and the log sender.
//!
//! Logging never waits. When the buffer is full the oldest line goes, and the next batch begins
//! with a line that says how many went.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_engine::SharedClock;
use periapt_model::Tag;
use periapt_uniter::HookLog;
use periapt_wire::agent::log_sink::LogRecord;
use tokio::sync::Notify;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer};

use super::levels::{Level, SharedLevels};

/// Lines kept while the controller cannot be reached.
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
    capacity: usize,
    lines: Mutex<Lines>,
    arrived: Notify,
}

#[derive(Default)]
struct Lines {
    waiting: VecDeque<LogRecord>,
    dropped: u64,
}

impl LogBuffer {
    /// An empty buffer; `entity` is who logs when a line names nobody else.
    #[must_use]
    pub fn new(entity: Tag, clock: SharedClock, levels: SharedLevels, capacity: usize) -> Self {
        let (lines, arrived) = (Mutex::default(), Notify::new());
        Self {
            shared: Arc::new(Shared {
                entity,
                clock,
                levels,
                capacity,
                lines,
                arrived,
            }),
        }
    }

    /// Adds a line that has passed its level.
    pub fn push(&self, record: LogRecord) {
        let mut lines = self.lock();
        if lines.waiting.len() >= self.shared.capacity {
            lines.waiting.pop_front();
            lines.dropped += 1;
        }
        lines.waiting.push_back(record);
        drop(lines);
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
        let mut lines = self.lock();
        for record in batch.into_iter().rev() {
            if lines.waiting.len() < self.shared.capacity {
                lines.waiting.push_front(record);
            } else {
                lines.dropped += 1;
            }
        }
        drop(lines);
        self.shared.arrived.notify_one();
    }

    fn take_now(&self) -> Vec<LogRecord> {
        let mut lines = self.lock();
        let dropped = std::mem::take(&mut lines.dropped);
        let mut batch = Vec::new();
        if dropped > 0 {
            batch.push(LogRecord {
                time: self.shared.clock.now().as_microsecond(),
                entity: self.shared.entity.clone(),
                level: "WARNING".to_owned(),
                module: "periapt.logsender".to_owned(),
                message: format!("{dropped} messages dropped: the controller could not be reached"),
            });
        }
        let count = lines.waiting.len().min(BATCH);
        batch.extend(lines.waiting.drain(..count));
        batch
    }

    fn lock(&self) -> MutexGuard<'_, Lines> {
        self.shared
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl HookLog for LogBuffer {
    fn write(&self, record: LogRecord) {
        let level = Level::parse(&record.level).unwrap_or(Level::Info);
        if self.shared.levels.wants(&record.module, level) {
            self.push(record);
        }
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
