//! What a charm's component is called for: a hook, or a task that a person asked for.

use std::sync::{Arc, Mutex, PoisonError};

use periapt_contract::action::Task;
use periapt_model::hook::Info;
use periapt_model::storage::StorageId;
use periapt_model::task::{Asked, DueTask, Results, TaskId};
use periapt_sandbox::Output;
use periapt_wire::agent::uniter::TaskToRun;
use tokio_util::sync::CancellationToken;

use crate::environment;

/// One call of a component.
#[derive(Clone, Copy)]
pub(crate) enum Dispatch<'a> {
    Hook(&'a Info),
    Task(&'a Arc<RunningTask>),
}

impl<'a> Dispatch<'a> {
    /// As the charm knows it.
    pub fn name(self) -> String {
        match self {
            Dispatch::Hook(hook) => hook.name(),
            Dispatch::Task(task) => task.dispatch.clone(),
        }
    }

    pub fn task(self) -> Option<&'a Arc<RunningTask>> {
        match self {
            Dispatch::Hook(_) => None,
            Dispatch::Task(task) => Some(task),
        }
    }

    /// The storage that it is about, if that is one.
    pub fn storage(self) -> Option<&'a StorageId> {
        match self {
            Dispatch::Hook(hook) => Some(&hook.storage.as_ref()?.id),
            Dispatch::Task(_) => None,
        }
    }

    /// What its event says of it, as the contract names these things.
    pub fn attributes(self) -> Vec<(String, String)> {
        match self {
            Dispatch::Hook(hook) => environment::attributes(hook),
            Dispatch::Task(task) => vec![
                ("task-id".to_owned(), task.id.to_string()),
                ("name".to_owned(), task.task.name.clone()),
            ],
        }
    }

    /// The variables that only it has.
    pub fn variables(self) -> Vec<(String, String)> {
        match self {
            Dispatch::Hook(hook) => environment::of_event(hook).collect(),
            Dispatch::Task(task) if task.is_command() => Vec::new(),
            Dispatch::Task(task) => environment::of_action(&task.task).into(),
        }
    }
}

/// A task while it is run.
pub(crate) struct RunningTask {
    pub id: TaskId,
    /// `actions/rebuild` or `commands/list`.
    pub dispatch: String,
    pub task: Task,
    /// How long it may compute where that was asked for.
    pub timeout_ms: Option<u64>,
    /// Cancelled when a person wants it stopped.
    pub cancelled: CancellationToken,
    printed: Mutex<Printed>,
}

/// What a command wrote.
#[derive(Default)]
struct Printed {
    stdout: String,
    stderr: String,
}

impl RunningTask {
    pub fn new(due: &DueTask, to_run: TaskToRun) -> Self {
        let name = Asked::of(&due.dispatch).map_or(due.dispatch.as_str(), Asked::name);
        Self {
            id: due.id,
            dispatch: due.dispatch.clone(),
            task: Task {
                id: due.id.to_string(),
                name: name.to_owned(),
                parameters: to_run.parameters,
                arguments: to_run.arguments,
            },
            timeout_ms: to_run.timeout_ms,
            cancelled: CancellationToken::new(),
            printed: Mutex::default(),
        }
    }

    pub fn is_command(&self) -> bool {
        matches!(Asked::of(&self.dispatch), Some(Asked::Command(_)))
    }

    /// Takes note of a line that a command wrote; how much that may be is the sandbox's to say.
    pub fn print(&self, of: Output, line: &str) {
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match of {
            Output::Stdout => &mut printed.stdout,
            Output::Stderr => &mut printed.stderr,
        };
        text.push_str(line);
        text.push('\n');
    }

    /// What is told of an action that trapped or returned an error. As in Juju it has a return code and says why on its
    /// standard error, which one that merely says that it failed does not. A command has printed its reasons.
    pub fn broke_off(&self, why: &str) -> Results {
        let mut results = Results::new();
        if !self.is_command() {
            results.insert("return-code".to_owned(), 1.into());
            results.insert("stderr".to_owned(), format!("{why}\n").into());
        }
        results
    }

    /// The results with what a command printed and how it ended.
    pub fn with_printed(&self, mut results: Results, return_code: u8) -> Results {
        if !self.is_command() {
            return results;
        }
        let mut printed = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
        results.insert("return-code".to_owned(), return_code.into());
        for (key, text) in [
            ("stdout", std::mem::take(&mut printed.stdout)),
            ("stderr", std::mem::take(&mut printed.stderr)),
        ] {
            if !text.is_empty() {
                results.insert(key.to_owned(), text.into());
            }
        }
        results
    }
}
