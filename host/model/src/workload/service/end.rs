//! How a process ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An end, in the words that status and charms show: `exited 1`, `killed by SIGKILL: out of memory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct End {
    pub ending: Ending,
    /// The container had no memory left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_memory: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    Exited(u8),
    /// By the signal of this name, or its number where it has none.
    Killed(String),
    /// It never ran, and why.
    NotStarted(String),
}

impl End {
    pub fn exited(code: u8) -> Self {
        Self {
            ending: Ending::Exited(code),
            out_of_memory: false,
        }
    }

    /// Whether it ended as it was to.
    pub fn is_success(&self) -> bool {
        self.ending == Ending::Exited(0) && !self.out_of_memory
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.ending {
            Ending::Exited(code) => write!(f, "exited {code}")?,
            Ending::Killed(signal) => write!(f, "killed by {signal}")?,
            Ending::NotStarted(why) => write!(f, "not started: {why}")?,
        }
        if self.out_of_memory {
            f.write_str(": out of memory")?;
        }
        Ok(())
    }
}
