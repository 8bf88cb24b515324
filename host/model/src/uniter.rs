//! The uniter's values and its decisions: what is persisted about a unit's operations, what
//! the controller says of the unit, and the operation that follows from both.
//!
//! Four parts that never mix, in the order of use. [`RemoteState`] is one consistent picture
//! of what the model wants. [`LocalState`] is the persisted [`OperationState`] and the few
//! facts an agent keeps in memory. [`resolve`] names the next [`Operation`] from the two. The
//! operation says, for each step, which state to write. Who runs a hook, and where the state
//! is kept, is none of this module's business, so a unit can be simulated with all its
//! crashes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Life;
use crate::cause::Cause;
use crate::hook;
use crate::relation::{RelationState, RemoteRelation};
use crate::secret::DueSecrets;
use crate::storage::{RemoteAttachment, StorageId};
use crate::task::DueTask;

mod cause;
mod operation;
mod relations;
mod resolver;
mod retry;
#[cfg(test)]
mod simulation;
mod statuses;
mod storages;
#[cfg(test)]
mod tests;
mod walk;

pub use cause::{Causes, RelationCauses, cause};
pub use operation::{Deploy, Executed, Operation, OperationError, REBOOTS_NOW};
pub use resolver::{Decision, LocalState, resolve};
pub use retry::{Attempted, RetryPlan, RetrySeries};
pub use statuses::{
    Failure, agent_awaits_charm, agent_awaits_storage, agent_executing, agent_failed,
    agent_files_missing, agent_hook_failed, agent_idle, agent_leaving, agent_rebooting,
    agent_runs_task, agent_waiting, workload_after, workload_before,
};
pub use walk::{Walked, absent_done, walk_on};

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
    /// Whether the charm ever set the unit's workload status.
    pub status_set: bool,
    pub kind: OperationKind,
    pub step: OperationStep,
    /// The hook of `run-hook`, or the hook an `upgrade` goes back to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<hook::Info>,
    /// The charm an `install` or `upgrade` is about, or else the charm in place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charm_url: Option<String>,
    /// The application's charm counter that `charm_url` was read with.
    pub charm_modified_version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_hash: Option<String>,
    /// Generation of the unit's state directory that the last committed hook left.
    pub state_generation: u64,
    /// What the unit has seen of its relations, by number.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<u64, RelationState>,
    /// Version of the leader's settings that the unit was told of; none while it never was,
    /// which differs from version 0, the one before the leader says anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leader_settings_version: Option<u64>,
    /// How often its machine had rebooted when `start` last ran.
    #[serde(skip_serializing_if = "is_zero")]
    pub reboots: u64,
    /// How often the recorded hook asked for a reboot at once since it was last done.
    #[serde(skip_serializing_if = "is_zero")]
    pub reboots_now: u64,
    /// Storage of which the unit was told that it has it.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub storage: BTreeSet<StorageId>,
    /// Why the recorded hook runs; once that is done, what the hook that it queues follows from.
    #[serde(skip_serializing_if = "Cause::is_unknown")]
    pub because: Cause,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl OperationState {
    /// The state of a unit for which nothing was ever recorded.
    pub fn initial() -> Self {
        Self {
            kind: OperationKind::Install,
            step: OperationStep::Queued,
            ..Self::default()
        }
    }

    /// Whether the charm's directory may be used by others than the hooks: the unit runs, and
    /// no charm is being put in place (Juju's rule for the charm directory's fortress).
    pub fn charm_directory_available(&self) -> bool {
        let changing = match self.kind {
            OperationKind::Install | OperationKind::Upgrade => true,
            OperationKind::RunHook => self.runs(hook::Kind::UpgradeCharm),
            OperationKind::Continue => false,
        };
        self.started && !self.stopped && !changing
    }

    /// The charm whose hooks can run, unless one is being put in place.
    pub fn charm_in_place(&self) -> Option<&str> {
        match self.kind {
            OperationKind::Install | OperationKind::Upgrade => None,
            OperationKind::RunHook | OperationKind::Continue => self.charm_url.as_deref(),
        }
    }

    /// Checks that the parts fit the kind; the error says what does not.
    pub fn validate(&self) -> Result<(), OperationError> {
        let wrong = |what| Err(OperationError::Invalid { what });
        match self.kind {
            OperationKind::RunHook if self.hook.is_none() => {
                wrong("a hook operation names no hook")
            }
            OperationKind::Install if self.hook.is_some() => {
                wrong("an install operation names a hook")
            }
            OperationKind::Continue if self.hook.is_some() => wrong("an idle unit names a hook"),
            OperationKind::Upgrade if self.charm_url.is_none() => {
                wrong("an upgrade names no charm")
            }
            OperationKind::Install
                if self.charm_url.is_none() && self.step != OperationStep::Queued =>
            {
                wrong("an install names no charm")
            }
            _ => Ok(()),
        }
    }

    /// The hook that failed and waits to be retried or resolved.
    pub fn failed_hook(&self) -> Option<&hook::Info> {
        match (self.kind, self.step) {
            (OperationKind::RunHook, OperationStep::Pending) => self.hook.as_ref(),
            _ => None,
        }
    }

    /// Whether a task may be run: a charm is in place, and no hook is due that was queued by another. One
    /// that failed and waits keeps no task from running.
    fn lets_run_tasks(&self) -> bool {
        let between = match self.kind {
            OperationKind::Continue => true,
            OperationKind::RunHook => self.step == OperationStep::Pending,
            OperationKind::Install | OperationKind::Upgrade => false,
        };
        self.installed && !self.stopped && between
    }

    fn runs(&self, kind: hook::Kind) -> bool {
        self.hook.as_ref().is_some_and(|hook| hook.kind == kind)
    }
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

impl Resolved {
    /// Whether a hook may begin that was decided on while the answer was `seen`. An answer that
    /// came in between and says to go on without the hook has to be decided on first; any other
    /// is taken away as the hook begins.
    pub fn lets_begin(self, seen: Resolved) -> bool {
        self == seen || self != Resolved::NoHooks
    }
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
    /// Relations of the unit's application, by number; those that stay within a container only
    /// where the unit has, or could have, a counterpart.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relations: BTreeMap<u64, RemoteRelation>,
    /// Raised when the leader changes its settings; 0 while it never did.
    #[serde(default)]
    pub leader_settings_version: u64,
    /// Whether this unit is the leader, by the lease tracker of its agent.
    #[serde(default)]
    pub leader: bool,
    /// Raised by the retry timer and by the update-status timer of the agent.
    #[serde(default)]
    pub retry_hook_version: u64,
    #[serde(default)]
    pub update_status_version: u64,
    /// The unit's oldest task that has not ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<DueTask>,
    /// Hooks of secrets that are due.
    #[serde(default, skip_serializing_if = "DueSecrets::is_empty")]
    pub secrets: DueSecrets,
    /// How often the unit's machine has rebooted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reboots: u64,
    /// Its machine is to reboot: nothing begins on it until it has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reboot_wanted: bool,
    /// Storage that the unit has, or is to have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<StorageId, RemoteAttachment>,
    /// What brought all this about.
    #[serde(default, skip_serializing_if = "Causes::is_empty")]
    pub causes: Causes,
}

impl RemoteState {
    /// Whether the application wants another charm than the one `state` is about.
    pub fn wants_other_charm(&self, state: &OperationState) -> bool {
        state.charm_url.as_deref() != Some(self.charm_url.as_str())
            || state.charm_modified_version != self.charm_modified_version
    }
}
