//! The task of the unit under test, while it runs one, and what it answered.

use std::cell::RefCell;

use periapt_contract::action::{Outcome, Task};
use periapt_contract::{ActionAnswers, CallError, Effects, HookTxn};

use super::TestHost;
use crate::HostError;
use crate::action::{ActionHost, TaskInfo};

/// What the unit was asked, and how far it got.
#[derive(Default)]
pub struct Tasks {
    /// So many were run.
    count: u64,
    running: Option<Task>,
    /// What the last one told of its progress.
    pub progress: Vec<String>,
    /// What the last one answered that was committed.
    pub outcome: Outcome,
}

/// A hook, whose answer is the contract's.
struct NoTask;

impl ActionAnswers for NoTask {}

impl ActionAnswers for TestHost {
    fn task(&mut self) -> Result<Task, CallError> {
        match &self.tasks.running {
            Some(task) => Ok(task.clone()),
            None => NoTask.task(),
        }
    }

    fn log_task(&mut self, message: &str) -> Result<(), CallError> {
        self.tasks.progress.push(message.to_owned());
        Ok(())
    }
}

impl TestHost {
    /// Begins a task, whose number is the next one.
    pub fn begin_task(&mut self, task: Task) {
        self.begin(None);
        self.tasks.count += 1;
        self.tasks.progress.clear();
        self.tasks.outcome = Outcome::default();
        self.tasks.running = Some(Task {
            id: self.tasks.count.to_string(),
            ..task
        });
    }

    /// Makes true what the task asked for; of a command that did not end with 0 its answer alone.
    /// Whether all of it was, or why nothing.
    pub fn commit_task(&mut self) -> Result<bool, HostError> {
        let effects = std::mem::take(&mut self.txn).into_effects();
        let ended_well = effects.action.return_code == 0;
        match ended_well {
            true => self.carry_out(&effects)?,
            false => self.carry_out(&Effects {
                action: effects.action,
                ..Effects::default()
            })?,
        }
        Ok(ended_well)
    }

    pub fn runs_a_task(&self) -> bool {
        self.tasks.running.is_some()
    }

    /// No task runs any more.
    pub fn end_task(&mut self) {
        self.tasks.running = None;
        self.txn = HookTxn::default();
    }
}

pub(super) fn commit(host: &mut TestHost, outcome: &Outcome) -> Result<(), CallError> {
    host.tasks.outcome = outcome.clone();
    Ok(())
}

impl ActionHost for RefCell<TestHost> {
    fn task(&self) -> Result<TaskInfo, HostError> {
        self.borrow_mut().transaction(|_, host| {
            let task = ActionAnswers::task(host)?;
            Ok(TaskInfo {
                id: task.id,
                name: task.name,
                parameters: serde_json::Value::Object(task.parameters).to_string(),
                arguments: task.arguments,
            })
        })
    }

    fn action_set(&self, results: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.action_set(host, results))
    }

    fn action_fail(&self, message: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.action_fail(host, message))
    }

    fn action_log(&self, line: &str) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.action_log(host, line))
    }

    fn action_return(&self, code: u8) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.action_return(host, code))
    }
}
