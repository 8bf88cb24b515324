//! `payload-register`, `payload-status-set`, `payload-unregister`: what a charm says that it runs by
//! itself, beside the containers that the agent runs for it.
//!
//! The host starts and stops nothing of it: it keeps what it is told and shows it. So a payload is no
//! more than a name with a status, and goes with its unit.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::CallError;
use crate::effects::Effect;

#[cfg(test)]
mod tests;
mod txn;

pub(crate) use txn::Payloads;

/// What an agent answers for `payloads`.
pub trait PayloadsAnswers {
    /// What the unit has registered as of the last commit. Asked at most once, on first use.
    fn payloads(&mut self) -> Result<Vec<Payload>, CallError> {
        Err(CallError::unanswered())
    }

    /// The classes that the charm declares, each with its type.
    fn payload_classes(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Err(CallError::unanswered())
    }
}

/// How a payload is, as the charm says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PayloadStatus {
    Starting,
    Running,
    Stopping,
    Stopped,
}

impl PayloadStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            PayloadStatus::Starting => "starting",
            PayloadStatus::Running => "running",
            PayloadStatus::Stopping => "stopping",
            PayloadStatus::Stopped => "stopped",
        }
    }
}

impl fmt::Display for PayloadStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One payload of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Payload {
    pub class: String,
    /// Among those of its class.
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub status: PayloadStatus,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl Payload {
    pub fn key(&self) -> PayloadKey {
        PayloadKey {
            class: self.class.clone(),
            id: self.id.clone(),
        }
    }
}

/// Which payload of a unit it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PayloadKey {
    pub class: String,
    pub id: String,
}

impl fmt::Display for PayloadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.class, self.id)
    }
}

/// What a commit changes of a unit's payloads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// New ones, and known ones as they are now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put: Vec<Payload>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<PayloadKey>,
}

impl Changes {
    /// The payloads after the changes, by class and id.
    pub fn applied(&self, before: &[Payload]) -> Vec<Payload> {
        let mut all = by_key(before);
        for key in &self.gone {
            all.remove(key);
        }
        all.extend(self.put.iter().map(|put| (put.key(), put.clone())));
        all.into_values().collect()
    }
}

fn by_key(payloads: &[Payload]) -> BTreeMap<PayloadKey, Payload> {
    let payloads = payloads.iter();
    payloads
        .map(|payload| (payload.key(), payload.clone()))
        .collect()
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.put.is_empty() && self.gone.is_empty()
    }

    fn words(&self) -> Vec<String> {
        let gone = self.gone.iter();
        let gone = gone.map(|key| format!("unregistered payload {key}"));
        let put = self.put.iter();
        let put = put.map(|put| format!("payload {} is {}", put.key(), put.status));
        gone.chain(put).collect()
    }
}
