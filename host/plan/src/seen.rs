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
