//! What a charm may ask of the host about the task that is being run.

use crate::HostError;
use crate::world::World;
use crate::world::bindings::periapt::charm::action as wit;

/// What an operator asked this unit to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskInfo {
    /// The number by which operators know it.
    pub id: String,
    /// The action, or the command.
    pub name: String,
    /// What the action was given, with defaults: a JSON object.
    pub parameters: String,
    /// The words after the command's name.
    pub arguments: Vec<String>,
}

/// What a charm may ask of the host in an action or a command.
#[allow(missing_docs)]
pub trait ActionHost {
    fn task(&self) -> Result<TaskInfo, HostError>;
    fn action_set(&self, results: &str) -> Result<(), HostError>;
    fn action_fail(&self, message: &str) -> Result<(), HostError>;
    fn action_log(&self, line: &str) -> Result<(), HostError>;
    fn action_return(&self, code: u8) -> Result<(), HostError>;
}

impl ActionHost for World {
    fn task(&self) -> Result<TaskInfo, HostError> {
        let task = wit::current()?;
        Ok(TaskInfo {
            id: task.id,
            name: task.name,
            parameters: task.parameters,
            arguments: task.arguments,
        })
    }

    fn action_set(&self, results: &str) -> Result<(), HostError> {
        Ok(wit::set(results)?)
    }

    fn action_fail(&self, message: &str) -> Result<(), HostError> {
        Ok(wit::fail(message)?)
    }

    fn action_log(&self, line: &str) -> Result<(), HostError> {
        Ok(wit::log(line)?)
    }

    fn action_return(&self, code: u8) -> Result<(), HostError> {
        Ok(wit::set_return_code(code)?)
    }
}
