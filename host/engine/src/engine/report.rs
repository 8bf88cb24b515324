//! What an engine says of itself.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::WorkerError;
use crate::manifold::Name;
use crate::worker::SharedWorker;

/// A whole engine at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EngineReport {
    /// The engine's name.
    pub name: String,
    /// Whether it runs.
    pub state: EngineState,
    /// The worst fatal error so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Each installed node by name.
    pub manifolds: BTreeMap<String, NodeReport>,
    /// Each node that removed itself, with the reason it gave.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uninstalled: BTreeMap<String, String>,
}

/// The life of an engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineState {
    /// It keeps its nodes running.
    #[default]
    Started,
    /// It waits for its nodes to stop.
    Stopping,
    /// All nodes have stopped.
    Stopped,
}

/// One node at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NodeReport {
    /// Whether it runs.
    pub state: NodeState,
    /// The names of the nodes it needs.
    pub inputs: Vec<String>,
    /// How often its worker has been started.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_count: u64,
    /// When its worker was last started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// How it last ended, unless it has started since or ended cleanly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The input on which a resting node rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// What its worker says of itself.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub report: Value,
}

/// The life of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeState {
    /// A start was requested: it waits for its delay or for its start function.
    Starting,
    /// Its worker runs.
    Started,
    /// The engine asked it to stop, and it has not yet.
    Stopping,
    /// It rests.
    Stopped,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The engine's state as taken under its lock; the workers are asked afterwards.
pub(super) struct Snapshot {
    pub state: EngineState,
    pub error: Option<WorkerError>,
    pub nodes: Vec<(Name, NodeSnapshot)>,
    pub uninstalled: BTreeMap<Name, String>,
}

pub(super) struct NodeSnapshot {
    pub state: NodeState,
    pub inputs: Vec<Name>,
    pub start_count: u64,
    pub started_at: Option<Timestamp>,
    pub error: Option<WorkerError>,
    pub worker: Option<SharedWorker>,
}

impl Snapshot {
    pub fn into_report(self, name: &Name) -> EngineReport {
        EngineReport {
            name: name.to_string(),
            state: self.state,
            error: self.error.map(|error| error.to_string()),
            manifolds: self
                .nodes
                .into_iter()
                .map(|(name, node)| (name.into_owned(), node.into_report()))
                .collect(),
            uninstalled: self
                .uninstalled
                .into_iter()
                .map(|(name, reason)| (name.into_owned(), reason))
                .collect(),
        }
    }
}

impl NodeSnapshot {
    fn into_report(self) -> NodeReport {
        NodeReport {
            state: self.state,
            inputs: self.inputs.into_iter().map(Name::into_owned).collect(),
            start_count: self.start_count,
            started_at: self.started_at,
            waits_for: self
                .error
                .as_ref()
                .and_then(WorkerError::missing_input)
                .map(ToString::to_string),
            error: self.error.map(|error| error.to_string()),
            report: self.worker.map_or(Value::Null, |worker| worker.report()),
        }
    }
}
