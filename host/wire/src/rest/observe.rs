//! What a controller tells of itself: health, figures, engines, locks.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET /health`, `GET /ready` | `Probe`; 503 when a check fails |
//! | `GET /metrics` | OpenMetrics text |
//! | `GET /v1/controller/figures` | `Figures` |
//! | `GET /v1/controller/introspection/{report}` | by report, over the whole controller |
//! | `GET /v1/models/{model}/introspection/{report}` | by report, of one model and its agent |
//!
//! | report | answer |
//! |---|---|
//! | `depengine` | `EngineMap` |
//! | `hooktimes` | `[HookPart]` |
//! | `machinelock` | `[MachineLockReport]` |
//! | `units` | `[UnitWorker]` |
//! | `leases` | `[LeaseReport]` |
//! | `presence` | `[PresenceReport]` |
//! | `metrics` | OpenMetrics text, of the controller only |

use std::collections::BTreeMap;

use periapt_model::{AgentName, MachineId, ModelUuid, UnitName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer of a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Probe {
    /// `ok`, or `failing` when one check fails.
    pub status: String,
    pub checks: Vec<Check>,
}

/// One check of a probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Check {
    pub name: String,
    pub ok: bool,
    /// What was found, in words.
    pub reason: String,
}

/// Key figures of the last hour. Every array of `series` is as long as `times`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Figures {
    /// Seconds between two samples.
    pub step: u64,
    /// When each sample was taken, oldest first.
    #[serde(with = "periapt_model::time::micros::list")]
    #[schema(value_type = Vec<String>)]
    pub times: Vec<i64>,
    /// By name; null where there was nothing to measure.
    pub series: BTreeMap<String, Vec<Option<f64>>>,
    /// What the numbers of a series are: `per-second`, `seconds`, `bytes`, `count`, `cores`.
    pub units: BTreeMap<String, String>,
}

/// Engines and their nodes, flat, for lists and drawings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct EngineMap {
    pub engines: Vec<EngineView>,
    /// Engines of units that were left out because the report would have been too large.
    #[serde(default)]
    #[schema(required = true)]
    pub left_out: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct EngineView {
    /// Unique in its map: `controller`, `model/UUID`, `agent/UUID`, `agent/UUID/machine/0`, ...
    pub id: String,
    /// `controller`, `model`, `agent`, `machine` or `unit`.
    pub kind: String,
    /// Of what: a model's UUID, a machine's id, a unit's name.
    pub name: String,
    /// The engine in which this one is nested.
    pub parent: Option<String>,
    /// The node of `parent` that runs it.
    pub parent_node: Option<String>,
    /// `started`, `stopping` or `stopped`.
    pub state: String,
    pub error: Option<String>,
    pub nodes: Vec<NodeView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct NodeView {
    pub name: String,
    /// `starting`, `started`, `stopping`, `stopped` or `uninstalled`.
    pub state: String,
    /// Names of nodes of the same engine.
    pub inputs: Vec<String>,
    pub start_count: u64,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<i64>,
    /// How it last ended, or why it was uninstalled.
    pub error: Option<String>,
    /// The input on which a resting node rests.
    pub waits_for: Option<String>,
    /// What the worker says of itself; null when it says nothing.
    pub report: Value,
}

/// The lock under which the hooks of one machine take turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MachineLockReport {
    /// Empty where the agent says it; the controller fills it in.
    #[serde(default)]
    pub model: String,
    pub machine: MachineId,
    pub holder: Option<LockTurn>,
    /// In the order in which they will have it.
    pub queue: Vec<LockTurn>,
    /// The last ones that had it, newest first.
    pub history: Vec<LockTurn>,
}

/// A turn that was asked for, had or given back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LockTurn {
    /// `site/0: run config-changed hook`.
    pub reason: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub requested_at: i64,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub acquired_at: Option<i64>,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub released_at: Option<i64>,
}

/// What runs a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UnitWorker {
    pub model: ModelUuid,
    pub unit: UnitName,
    pub machine: String,
    /// `starting`, `started` or `stopping`.
    pub state: String,
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<i64>,
    pub error: Option<String>,
    /// What its uniter says of itself.
    pub uniter: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct LeaseReport {
    pub namespace: String,
    pub model: ModelUuid,
    pub name: String,
    pub holder: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub started_at: i64,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: i64,
    /// Who keeps it with its holder past its time, `controller-UUID` while upgrade steps run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned_by: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct PresenceReport {
    pub model: ModelUuid,
    /// `host`, which hosts all machines, or the machine that it hosts.
    #[schema(value_type = String)]
    pub agent: AgentName,
    pub connections: u64,
    /// When the first of the connections logged in; none while there is none.
    #[serde(default, with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub since: Option<i64>,
    /// `connected`, `connected elsewhere` (to another process of the controller), `expected` (shortly after the controller's start) or `lost`.
    pub state: String,
}

/// What an agent's process tells when it is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AgentIntrospection {
    /// The engine's own report, with the engines nested in it.
    pub engine: Value,
    #[serde(default)]
    #[schema(required = true)]
    pub left_out: u64,
    pub machine_locks: Vec<MachineLockReport>,
    #[serde(default)]
    #[schema(required = true)]
    pub hook_times: Vec<HookPart>,
}

/// How long one part of the recent runs of a hook took that were committed, all units of an agent
/// together, microseconds: `to-thread`, from its turn until its thread runs; `guest`, until it has
/// returned and its files are durable; `to-commit`, until its commit is sent; `commit`, until that is
/// answered; and `all`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HookPart {
    /// Empty where the agent says it; the controller fills it in.
    #[serde(default)]
    pub model: String,
    pub hook: String,
    pub part: String,
    /// How many runs that is.
    pub hooks: u64,
    pub p50: i64,
    pub p99: i64,
}
