//! Hooks that began, told by what agents write: a unit records a hook before it runs it, and
//! the next commit or failure is how it ended. A hook that an agent's death cut short is begun
//! again or forgotten; it is never counted twice.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::{ModelUuid, UnitName};

use super::lock;

/// A hook that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub hook: String,
    /// Microseconds UTC.
    pub started_at: i64,
    pub took: Duration,
}

struct Running {
    hook: String,
    started_at: i64,
    since: Duration,
}

/// At most one hook for each unit.
pub struct Begun {
    clock: SharedClock,
    running: Mutex<HashMap<(ModelUuid, UnitName), Running>>,
}

impl Begun {
    pub(super) fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            running: Mutex::default(),
        }
    }

    pub fn begin(&self, model: &ModelUuid, unit: &UnitName, hook: String) {
        let running = Running {
            hook,
            started_at: self.clock.now().as_microsecond(),
            since: self.clock.monotonic(),
        };
        lock(&self.running).insert((model.clone(), unit.clone()), running);
    }

    /// The hook of the unit, which has ended now; none when it was not seen to begin.
    pub fn end(&self, model: &ModelUuid, unit: &UnitName) -> Option<Ran> {
        let running = lock(&self.running).remove(&(model.clone(), unit.clone()))?;
        Some(Ran {
            hook: running.hook,
            started_at: running.started_at,
            took: self.clock.monotonic().saturating_sub(running.since),
        })
    }

    pub(super) fn retain(&self, wanted: impl Fn(&ModelUuid, &UnitName) -> bool) {
        lock(&self.running).retain(|(model, unit), _| wanted(model, unit));
    }
}
