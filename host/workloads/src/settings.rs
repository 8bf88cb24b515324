//! Times and numbers of the processes, which tests make smaller.

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Settings {
    /// A process that serves ends after so long without a request.
    pub rest_ms: u64,
    /// A connection to the gate is closed after so long without a whole head of a request.
    pub head_ms: u64,
    /// Connections to the gate; beyond them the one goes that asked for nothing for the longest time.
    pub connections: usize,
    /// Before a child that died is started again, at first.
    pub respawn_ms: u64,
    /// How long a request waits for a process that serves, or for a service that is starting.
    pub patience_ms: u64,
    /// Two connections that the gate joined are closed after so long without a byte.
    pub quiet_ms: u64,
    /// A child is asked for a sign of life so often, and killed when it gives none twice.
    pub pulse_ms: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rest_ms: 60_000,
            head_ms: 15_000,
            connections: 8192,
            respawn_ms: 200,
            patience_ms: 5_000,
            quiet_ms: 300_000,
            pulse_ms: 10_000,
        }
    }
}

impl Settings {
    pub(crate) fn rest(&self) -> Duration {
        Duration::from_millis(self.rest_ms)
    }

    pub(crate) fn head(&self) -> Duration {
        Duration::from_millis(self.head_ms)
    }

    pub(crate) fn respawn(&self) -> Duration {
        Duration::from_millis(self.respawn_ms)
    }

    pub(crate) fn patience(&self) -> Duration {
        Duration::from_millis(self.patience_ms)
    }

    pub(crate) fn quiet(&self) -> Duration {
        Duration::from_millis(self.quiet_ms)
    }

    pub(crate) fn pulse(&self) -> Duration {
        Duration::from_millis(self.pulse_ms)
    }
}
