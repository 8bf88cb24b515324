//! Tasks of the controller in memory: the store's rules for who begins and who ends one.

use std::collections::BTreeMap;

use periapt_contract::action::Outcome;
use periapt_model::UnitName;
use periapt_model::charm::Parameters;
use periapt_model::task::{Beside, DueTask, Results, TaskId, TaskStatus};
use periapt_wire::CallError;
use periapt_wire::agent::uniter::{BeginTask, EndTask, LogTask, TaskToRun};
use periapt_wire::rpc::code;

use super::{Controller, Inner, UnitRecord, refused};

/// A task with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRecord {
    pub dispatch: String,
    pub beside: Beside,
    pub to_run: TaskToRun,
    pub status: TaskStatus,
    pub message: String,
    pub results: Results,
    pub log: Vec<String>,
    /// How often it began.
    pub begun: u32,
}

impl TaskRecord {
    /// One that waits.
    pub fn new(dispatch: &str) -> Self {
        Self {
            dispatch: dispatch.to_owned(),
            beside: Beside::Nothing,
            to_run: TaskToRun {
                parameters: Parameters::new(),
                arguments: Vec::new(),
                timeout_ms: None,
            },
            status: TaskStatus::Pending,
            message: String::new(),
            results: Results::new(),
            log: Vec::new(),
            begun: 0,
        }
    }
}

impl Controller {
    /// Asks a unit to run something; the number of the task.
    pub fn enqueue(&self, unit: &UnitName, task: TaskRecord) -> TaskId {
        let mut number = 0;
        self.change(unit, |record| {
            number = record.tasks.len() as TaskId + 1;
            record.tasks.insert(number, task);
        });
        self.touch(&[format!("tasks:{unit}")]);
        number
    }

    /// Cancels a task as a person does.
    pub fn cancel(&self, unit: &UnitName, task: TaskId) {
        self.change(unit, |record| {
            if let Some(task) = record.tasks.get_mut(&task)
                && let Some(status) = task.status.cancelled()
            {
                task.status = status;
            }
        });
        self.touch(&[format!("tasks:{unit}")]);
    }

    pub fn task(&self, unit: &UnitName, task: TaskId) -> Option<TaskRecord> {
        self.unit(unit)?.tasks.get(&task).cloned()
    }
}

/// The oldest task that has not ended.
pub(super) fn due(tasks: &BTreeMap<TaskId, TaskRecord>) -> Option<DueTask> {
    let due = tasks.iter().find(|(_, task)| !task.status.has_ended());
    due.map(|(id, task)| DueTask {
        id: *id,
        dispatch: task.dispatch.clone(),
        status: task.status,
        beside: task.beside.clone(),
    })
}

impl UnitRecord {
    fn task(&mut self, task: TaskId) -> Result<&mut TaskRecord, CallError> {
        let found = self.tasks.get_mut(&task);
        found.ok_or_else(|| refused(code::NOT_FOUND, "task"))
    }

    pub(super) fn begin_task(&mut self, call: BeginTask) -> Result<Option<TaskToRun>, CallError> {
        let alive = self.remote.life.is_alive();
        let task = self.task(call.task)?;
        if task.status != TaskStatus::Pending {
            return Ok(None);
        }
        if !alive {
            task.status = TaskStatus::Cancelled;
            return Ok(None);
        }
        task.status = TaskStatus::Running;
        task.begun += 1;
        let to_run = task.to_run.clone();
        self.agent = call.agent;
        Ok(Some(to_run))
    }

    pub(super) fn end_task(&mut self, call: EndTask) -> Result<(), CallError> {
        let task = self.task(call.end.id)?;
        if let Some(status) = task.status.ends(call.end.status) {
            task.status = status;
            task.message = call.end.message;
            task.results = call.end.results;
        }
        self.runs.extend(call.run);
        Ok(())
    }

    pub(super) fn log_task(&mut self, call: LogTask) -> Result<(), CallError> {
        self.task(call.task)?.log.push(call.message);
        Ok(())
    }
}

impl Inner {
    /// Ends a task with what it changed.
    pub(super) fn complete(
        &mut self,
        unit: &UnitName,
        task: TaskId,
        outcome: &Outcome,
    ) -> Result<(), CallError> {
        let task = self.record(unit)?.task(task)?;
        let ended = match outcome.failure {
            Some(_) => TaskStatus::Failed,
            None => TaskStatus::Completed,
        };
        task.status = task
            .status
            .ends(ended)
            .ok_or_else(|| refused(code::BAD_REQUEST, "the task does not run"))?;
        task.message = outcome.failure.clone().unwrap_or_default();
        task.results = outcome.results.clone();
        Ok(())
    }
}
