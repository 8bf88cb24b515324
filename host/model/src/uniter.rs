//! The uniter's values: what is persisted about a unit's operations, what the controller says
//! of the unit, and the operation that follows from both.

use serde::{Deserialize, Serialize};

use crate::Life;
use crate::hook;

/// The kind of the recorded operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum OperationKind {
    Install,
    RunHook,
    Upgrade,
    #[default]
    Continue,
}

/// How far the recorded operation came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum OperationStep {
    Queued,
    #[default]
    Pending,
    Done,
}

/// The state of a unit's operations, persisted in the controller before and after each step
/// (rules: Juju's uniter operation state).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(default, rename_all = "kebab-case")]
pub struct OperationState {
    pub leader: bool,
    pub started: bool,
    pub stopped: bool,
    pub installed: bool,
    pub removed: bool,
    pub status_set: bool,
    pub kind: OperationKind,
    pub step: OperationStep,
    /// The hook of `run-hook`, or the hook an `upgrade` goes back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<hook::Info>,
    /// The charm an `install` or `upgrade` is about, or the charm in place (`continue`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charm_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_hash: Option<String>,
    /// Generation of the unit's state directory that the last committed hook left.
    pub state_generation: u64,
}

/// A person's answer to a failed hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Resolved {
    #[default]
    None,
    RetryHooks,
    NoHooks,
}

/// One consistent picture of what the controller says of a unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemoteState {
    pub life: Life,
    pub resolved: Resolved,
    /// The charm the application wants, its revision counter and whether a refresh was forced.
    pub charm_url: String,
    pub charm_modified_version: u64,
    pub force_charm_upgrade: bool,
    /// Digest of the effective configuration.
    pub config_hash: String,
    /// Whether this unit is the leader, by the lease tracker of its agent.
    #[serde(default)]
    pub leader: bool,
    /// Raised by the retry timer and by the update-status timer of the agent.
    #[serde(default)]
    pub retry_hook_version: u64,
    #[serde(default)]
    pub update_status_version: u64,
}
