//! What a hook logs, on its way to `debug-log`.
//!
//! A line that is sent on its own costs the controller a transaction. A hook that is over soon is
//! committed at once, so its lines are held back until then and travel with the commit, in their
//! order. Those of a hook that lasts, fails or says much go the way of all others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_wire::agent::log_sink::LogRecord;

use crate::process::HookLog;

#[cfg(test)]
mod tests;

/// How much is held back of one hook.
const LINES: usize = 100;
const BYTES: usize = 64 << 10;

/// The lines of one hook. What is held as this is dropped is sent.
pub(crate) struct Lines {
    log: Arc<dyn HookLog>,
    /// None once lines are not held back any more.
    held: Mutex<Option<Held>>,
}

#[derive(Default)]
struct Held {
    lines: Vec<LogRecord>,
    bytes: usize,
}

impl Lines {
    /// Lines that end up in `log`, held back from now on.
    pub fn hold(log: &Arc<dyn HookLog>) -> Arc<Self> {
        Arc::new(Self {
            log: Arc::clone(log),
            held: Mutex::new(Some(Held::default())),
        })
    }

    pub fn write(&self, record: LogRecord) {
        let mut held = self.held();
        if let Some(Held { lines, bytes }) = held.as_mut()
            && lines.len() < LINES
            && *bytes + record.message.len() <= BYTES
        {
            *bytes += record.message.len();
            lines.push(record);
            return;
        }
        self.send(held.take());
        self.log.write(record);
    }

    /// Sends what was held back, and holds nothing back any more.
    pub fn release(&self) {
        let mut held = self.held();
        self.send(held.take());
    }

    /// What the hook's commit takes along: what was held back and, after it, what the agent says of
    /// the hook. Nothing where lines were sent already, since that is to follow them.
    pub fn along(&self, says: &LogRecord) -> Vec<LogRecord> {
        match &*self.held() {
            Some(Held { lines, .. }) => {
                let lines = lines.iter().chain([says]);
                self.log.admit(lines.cloned().collect())
            }
            None => Vec::new(),
        }
    }

    /// The commit that took lines along stands.
    pub fn committed(&self, says: LogRecord) {
        if self.held().take().is_none() {
            self.log.write(says);
        }
    }

    /// Within the lock, so that lines stay in order.
    fn send(&self, held: Option<Held>) {
        let lines = held.unwrap_or_default().lines;
        lines.into_iter().for_each(|line| self.log.write(line));
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.release();
    }
}
