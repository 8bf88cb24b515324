//! Operations: what a person asks units, or machines, to run, as tasks of which each has one.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../applications/{name}/actions` | | `ApplicationActions` |
//! | `POST .../operations` with [`EnqueueOperation`] | | the new `OperationInfo` |
//! | `GET .../operations` | `OperationQuery` | `Page<OperationInfo>`, newest first |
//! | `GET .../operations/{operation}` | `OperationWait` | `OperationInfo` |
//! | `GET .../tasks/{task}` | `TaskWait` | `TaskInfo` with results and progress |
//! | `POST .../tasks/{task}/cancel` | | `TaskInfo` |
//!
//! Numbers of operations and tasks come from one sequence of the model. What a task answers, and what it
//! told while it ran, is shown with the task alone: an operation has up to a thousand of them.

use std::collections::BTreeMap;

use periapt_model::charm::Parameters;
use periapt_model::task::{Receiver, TaskId, TaskStatus};
use periapt_model::{ApplicationName, MachineId, UnitName};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What is to be run, and where: either an action or a command.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct EnqueueOperation {
    /// An action that the charm of each unit declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// What the action is given.
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    #[schema(value_type = Object)]
    pub parameters: Parameters,
    /// A command that the charm of each unit exports, with its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// `site/0`, or `site/leader` for the unit that leads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// All units of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<ApplicationName>,
    /// Machines, in place of units: the command is then one of `df`, `reboot` and `report`, without arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineId>,
    /// How long each task may compute, milliseconds; as long as a hook may when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Whether it may run beside others on its machine; as the charm says when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel: Option<bool>,
    /// Tasks of one group run one at a time on a machine; as the charm says when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_group: Option<String>,
}

/// The tasks of one request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct OperationInfo {
    pub id: TaskId,
    /// `rebuild run on site/0, site/1`.
    pub summary: String,
    /// What its tasks are together.
    pub status: TaskStatus,
    /// Who asked.
    pub user: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub enqueued_at: i64,
    /// When the first of its tasks began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<i64>,
    /// When the last of them ended, once all have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<i64>,
    /// Without results and progress.
    pub tasks: Vec<TaskInfo>,
}

/// What one unit, or one machine, was asked to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TaskInfo {
    pub id: TaskId,
    pub operation: TaskId,
    /// None for a task of a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitName>,
    /// None for a task of a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineId>,
    /// The action; empty for a command.
    pub action: String,
    /// The command with its arguments; none for an action.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What the action was given, defaults included.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    #[schema(value_type = Object)]
    pub parameters: Parameters,
    pub status: TaskStatus,
    /// Why it failed, or was stopped.
    #[serde(default)]
    #[schema(required = true)]
    pub message: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub enqueued_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub started_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "periapt_model::time::micros::option")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub completed_at: Option<i64>,
    /// How long it may compute, milliseconds, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    #[serde(default)]
    #[schema(required = true)]
    pub parallel: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub execution_group: String,
    /// What it answered, by key; of a command `return-code`, `stdout` and `stderr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub results: Option<serde_json::Map<String, Value>>,
    /// What it told while it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<Vec<TaskLine>>,
}

impl TaskInfo {
    /// Who runs it, as people read it: `site/0`, or `machine-0`.
    pub fn receiver(&self) -> String {
        match (&self.unit, &self.machine) {
            (Some(unit), _) => unit.to_string(),
            (None, Some(machine)) => Receiver::Machine(machine.clone()).to_string(),
            (None, None) => String::new(),
        }
    }
}

/// A line of progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct TaskLine {
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub time: i64,
    pub message: String,
}

/// What units of an application can be asked to run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationActions {
    pub application: String,
    pub actions: BTreeMap<String, ActionInfo>,
    /// Commands for `exec`.
    #[serde(default)]
    #[schema(required = true)]
    pub commands: Vec<String>,
}

/// An action as its charm declares it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ActionInfo {
    #[serde(default)]
    #[schema(required = true)]
    pub description: String,
    /// JSON Schema of what it takes: an object with `properties`.
    #[schema(value_type = Object)]
    pub schema: Value,
    #[serde(default)]
    #[schema(required = true)]
    pub parallel: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub execution_group: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct OperationQuery {
    /// Operations with a task on one of these, comma separated.
    pub units: Option<String>,
    /// Operations with a task on a unit of one of these, comma separated.
    pub applications: Option<String>,
    /// Operations with a task on one of these machines, comma separated. With `units`, on one of either.
    pub machines: Option<String>,
    /// Operations with one of these actions, comma separated.
    pub actions: Option<String>,
    /// Operations with a task that is one of these, comma separated: `running,failed`.
    pub status: Option<String>,
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}

/// Query of one operation.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct OperationWait {
    /// Seconds, up to 600, to wait until all tasks have ended; answered at once when left out.
    pub wait: Option<u64>,
}

/// Query of one task.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct TaskWait {
    /// Seconds, up to 600, to wait until it has ended, or has told more than is known; answered at
    /// once when left out.
    pub wait: Option<u64>,
    /// So many lines of its progress are known: they are left out of the answer.
    pub lines: Option<u64>,
}
