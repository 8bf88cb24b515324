//! What the services and checks of a container are seen to be.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where a service is. The words are those of the contract with charms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Current {
    #[default]
    Inactive,
    /// For what it requires.
    Waiting,
    /// Its process runs and is not ready yet.
    Starting,
    Active,
    /// It ended and will be started again.
    Backoff,
    Stopping,
    /// It ended well and stays so.
    Finished,
    /// It ended and will not be started again by itself.
    Failed,
    /// It may run on the leader alone, and this unit is not known to lead.
    Fenced,
}

impl Current {
    /// Its word, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Waiting => "waiting",
            Self::Starting => "starting",
            Self::Active => "active",
            Self::Backoff => "backoff",
            Self::Stopping => "stopping",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Fenced => "fenced",
        }
    }

    /// Whether there is a process.
    pub fn runs(self) -> bool {
        matches!(
            self,
            Current::Starting | Current::Active | Current::Stopping
        )
    }
}

/// Where a check is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Up,
    Down,
    #[default]
    Inactive,
}

impl Status {
    /// Its word, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Inactive => "inactive",
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Seen {
    pub services: BTreeMap<String, ServiceSeen>,
    pub checks: BTreeMap<String, CheckSeen>,
    /// The number of the last request that was carried out.
    pub requests: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ServiceSeen {
    pub current: Current,
    /// Seconds since the epoch.
    pub since: i64,
    pub restarts: u32,
    /// How it last ended, in words.
    pub last_end: Option<String>,
    /// Through what it went lately, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Passed>,
}

/// That a service came to be somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Passed {
    /// Seconds since the epoch.
    pub at: i64,
    pub current: Current,
    /// How it ended, in words, if that is what it left the place before by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CheckSeen {
    pub status: Status,
    pub successes: u64,
    pub failures: u32,
    pub threshold: u32,
    /// What the last failure said.
    pub message: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer::{Kind, Level, Startup};

    #[test]
    fn words_are_those_that_are_written() {
        let same = |written: serde_json::Value, word: &str| assert_eq!(written, word);
        for current in [
            Current::Inactive,
            Current::Waiting,
            Current::Starting,
            Current::Active,
            Current::Backoff,
            Current::Stopping,
            Current::Finished,
            Current::Failed,
            Current::Fenced,
        ] {
            same(serde_json::json!(current), current.as_str());
        }
        for status in [Status::Up, Status::Down, Status::Inactive] {
            same(serde_json::json!(status), status.as_str());
        }
        for kind in [Kind::Http, Kind::Command, Kind::Native] {
            same(serde_json::json!(kind), kind.as_str());
        }
        for startup in [Startup::Enabled, Startup::Disabled] {
            same(serde_json::json!(startup), startup.as_str());
        }
        for level in [Level::Alive, Level::Ready] {
            same(serde_json::json!(level), level.as_str());
        }
    }
}
