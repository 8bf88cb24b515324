//! Everything the uniter of one unit needs.

use std::collections::BTreeMap;

use periapt_model::cause::Cause;
use periapt_model::charm::{CharmInfo, Parameters};
use periapt_model::hook::{Effects, Info};
use periapt_model::payloads::Payload;
use periapt_model::ports::Openings;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::storage::Declared;
use periapt_model::task::{Results, TaskId, TaskStatus};
use periapt_model::uniter::{OperationState, Resolved};
use periapt_model::workload::Committed;
use periapt_model::{Tag, UnitName};
use serde::{Deserialize, Serialize};

use crate::agent::log_sink::LogRecord;
use crate::rest::HookUsage;
use crate::rpc::{Empty, Watch};

mod told;

pub use told::{HookView, Known, News, Told};

/// What is stored about a unit between hooks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitState {
    /// None before the unit's first operation.
    pub operation: Option<OperationState>,
    /// How often the operation was written. Every write names the one it was decided on, and is
    /// refused with error code `stale` where that is not the last one any more.
    pub sequence: u64,
    #[serde(default)]
    pub charm_state: BTreeMap<String, String>,
    #[serde(default)]
    pub opened_ports: Openings,
    /// What was committed of the unit's containers, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub containers: BTreeMap<String, Committed>,
    /// What its charm registered, by class and id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payloads: Vec<Payload>,
    /// As the agent is shown; none before it was ever set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Status<Agent>>,
}

/// A cloud with the credential that a model uses there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CloudAccess {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub region: String,
    /// None of a cloud that has no API of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    pub auth_type: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
}

/// Content of a resource, and what is known of the unit that asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ResourceContent {
    pub revision: u64,
    /// By which it is fetched.
    pub sha256: String,
    pub size: u64,
    /// The revision that the unit had last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<u64>,
}

/// How one run of a hook ended, for the list of runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HookReport {
    pub hook: String,
    /// What this run was about: `relation 3, back/0`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    pub charm: String,
    /// When its turn came, microseconds UTC.
    pub started_at: i64,
    /// From then to this report, microseconds.
    pub duration: i64,
    /// From chosen until its turn came, microseconds.
    #[serde(default)]
    pub waited: i64,
    /// Stable code of the failure; empty for a hook that ended well.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What it changed, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<HookUsage>,
    /// What the hook was chosen from.
    #[serde(default, skip_serializing_if = "Cause::is_unknown")]
    pub cause: Cause,
}

/// What will be there, as far as the model says: not who is in a relation now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GoalState {
    /// Units of the unit's application.
    pub units: BTreeMap<String, GoalStatus>,
    /// Per endpoint of the unit's charm: the applications at the other end and their units.
    pub relations: BTreeMap<String, BTreeMap<String, GoalStatus>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct GoalStatus {
    pub status: String,
    /// Microseconds UTC.
    pub since: i64,
}

/// A task that begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TaskToRun {
    /// What an action is given, complete.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// The words after a command's name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// How long it may compute where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TaskEnd {
    pub id: TaskId,
    /// Completed, failed or aborted.
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Results::is_empty")]
    pub results: Results,
}

/// The answer to a commit: what the controller says of the unit at that moment, which spares
/// the agent asking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HookCommitted {
    pub news: News,
    /// Whether the agent is now shown as idle.
    pub idle: bool,
}

crate::facade! { "periapt.Uniter" 1 for Agents {
    /// Fires on any change that a remote-state snapshot could show.
    [Watch] Watch as WatchUnit { unit: UnitName } -> Watch;
    /// None when the unit is gone.
    [Read] RemoteState as GetRemoteState {
        unit: UnitName,
        #[serde(default)]
        known: Known,
    } -> Option<News>;
    [Read] State as GetState { unit: UnitName } -> UnitState;
    /// Records the operation, and with it which charm is in place.
    [Write] SetState as SetState {
        unit: UnitName,
        /// The sequence of the state that this follows.
        from: u64,
        operation: OperationState,
        /// A person's answer to a failure is used up.
        #[serde(default)]
        takes_answer: bool,
    } -> Empty;
    /// Records that a hook begins, with the statuses that say so, in one transaction. A hook of
    /// which somebody else has to hear before it runs waits for the answer: with the created hook
    /// of a relation the unit enters its scope (error code `try again` while an earlier
    /// subordinate of the unit has not gone), and a person's answer to a failure is used up (error
    /// code `answered` when one came that `answer` is not, and that has to be decided on). Of any
    /// other hook it is said once it lasts.
    [Write] BeginHook as BeginHook {
        unit: UnitName,
        /// The sequence of the state that this follows.
        from: u64,
        operation: OperationState,
        /// The answer that was there as the hook was chosen.
        #[serde(default)]
        answer: Resolved,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<Status<Agent>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workload: Option<Status<Workload>>,
    } -> Empty;
    /// The hook's effects, the operation state that follows, the workload status that goes
    /// with it and the report of the run, in one transaction. A person's answer is used up.
    [Write] CommitHook as CommitHook {
        unit: UnitName,
        /// The sequence of the state that this follows.
        from: u64,
        effects: Effects,
        operation: OperationState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workload: Option<Status<Workload>>,
        /// The hook that ended, where that moves more than the unit's own record: a unit is in
        /// the scope of a relation from its created hook on (unless `BeginHook` was told of
        /// it already) and leaves it with the broken one, and has let go of a storage with `storage-detaching`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hook: Option<Info>,
        /// Hooks that followed and that the charm does not have, in order, as far as the unit
        /// enters or leaves the scope of a relation with them (error code `try again` if it
        /// cannot yet), or lets go of a storage.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        absent: Vec<Info>,
        /// None for a hook that the charm does not have.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<HookReport>,
        /// The task that ends with this, in place of a hook: its answer is among the effects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// What the hook logged, and the agent of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        records: Vec<LogRecord>,
        /// The agent has nothing left to do if the remote state still is the one it knows, and is
        /// then shown as idle.
        #[serde(default)]
        rests: bool,
        #[serde(default)]
        known: Known,
    } -> HookCommitted;
    /// A hook failed: the recorded state, the agent's error and the report of the run, in one
    /// transaction.
    [Write] FailHook as FailHook {
        unit: UnitName,
        /// The sequence of the state that this follows.
        from: u64,
        operation: OperationState,
        agent: Status<Agent>,
        run: HookReport,
    } -> Empty;
    /// A hook asked for a reboot at once: the state in which it is queued to be run again, the reboot and the
    /// status that shows it, in one transaction.
    [Write] RequestReboot as RequestReboot {
        unit: UnitName,
        /// The sequence of the state that this follows.
        from: u64,
        operation: OperationState,
        agent: Status<Agent>,
    } -> Empty;
    /// Records that a task begins, once, and shows it. None where it is not to be run any more: it was
    /// cancelled, or the unit leaves, with which it is.
    [Write] BeginTask as BeginTask { unit: UnitName, task: TaskId, agent: Status<Agent> } -> Option<TaskToRun>;
    /// Ends a task of which nothing is committed. One that ended before stays as it is.
    [Write] EndTask as EndTask {
        unit: UnitName,
        end: TaskEnd,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<HookReport>,
    } -> Empty;
    /// A line of progress of a task that runs.
    [Write] LogTask as LogTask { unit: UnitName, task: TaskId, message: String } -> Empty;
    /// Fires when something becomes of a task of the unit.
    [Watch] WatchTasks as WatchTasks { unit: UnitName } -> Watch;
    /// None when it is forgotten.
    [Read] TaskStatus as GetTaskStatus { unit: UnitName, task: TaskId } -> Option<TaskStatus>;
    [Read] ApplicationStatus as GetApplicationStatus { unit: UnitName } -> Status<Workload>;
    [Write] SetAgentStatus as SetUnitAgentStatus { unit: UnitName, status: Status<Agent> } -> Empty;
    [Write] SetUnitStatus as SetUnitStatus { unit: UnitName, status: Status<Workload> } -> Empty;
    /// Settings of a unit or an application in a relation of the unit, as they are now. Those
    /// of its own application are for the leader; `not found` for who never was in scope.
    [Read] ReadRelationSettings as GetRelationSettings { unit: UnitName, relation: u64, of: Tag } -> BTreeMap<String, String>;
    /// What the leader of the unit's application told its units.
    [Read] LeaderSettings as GetLeaderSettings { unit: UnitName } -> BTreeMap<String, String>;
    [Read] GoalState as GetGoalState { unit: UnitName } -> GoalState;
    /// What is attached to the unit's application under a name; none where nothing is.
    [Read] Resource as GetResource { unit: UnitName, name: String } -> Option<ResourceContent>;
    /// The cloud of the unit's model; none unless the application is trusted.
    [Read] CloudAccess as GetCloudAccess { unit: UnitName } -> Option<CloudAccess>;
    /// Records which revision of a resource the unit has.
    [Write] SetResource as SetUnitResource { unit: UnitName, name: String, revision: u64 } -> Empty;
    /// Refused unless the unit leads.
    [Write] SetApplicationStatus as SetApplicationStatus { unit: UnitName, status: Status<Workload> } -> Empty;
    [Write] SetWorkloadVersion as SetWorkloadVersion { unit: UnitName, version: String } -> Empty;
    /// What the unit's charm declares, with how many more of it the unit may be given.
    [Read] DeclaredStorage as GetDeclaredStorage { unit: UnitName } -> BTreeMap<String, Declared>;
    /// Error code `try again` while subordinates remain, or storage that the unit has not let go of.
    [Write] EnsureDead as EnsureUnitDead { unit: UnitName } -> Empty;
    [Read] Charm as GetCharm { url: String } -> CharmInfo;
} }
