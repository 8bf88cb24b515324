//! What a task was asked for, and its progress. A hook has neither.

use periapt_contract::action::Task;
use periapt_sandbox::{ActionAnswers, CallError};
use periapt_wire::agent::uniter::LogTask;

use super::UnitContext;

impl ActionAnswers for UnitContext {
    fn task(&mut self) -> Result<Task, CallError> {
        match &self.task {
            Some(running) => Ok(running.task.clone()),
            None => NoTask.task(),
        }
    }

    fn log_task(&mut self, message: &str) -> Result<(), CallError> {
        let Some(running) = &self.task else {
            return NoTask.log_task(message);
        };
        let line = LogTask {
            unit: self.unit.clone(),
            task: running.id,
            message: message.to_owned(),
        };
        self.call(&line)?;
        Ok(())
    }
}

/// A hook, which refuses as the contract says.
struct NoTask;

impl ActionAnswers for NoTask {}
