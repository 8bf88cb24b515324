//! Tasks: what an operator asked a unit to run (an action of its charm, or a command) or a machine to do, and operations,
//! the tasks of one request.
//!
//! A task runs at most once and always ends. Words are Juju's. Where it is kept, and who runs it, are not
//! this module's business.

pub use periapt_contract::action::{ACTIONS, Asked, COMMANDS, Results};
use serde::{Deserialize, Serialize};

use crate::hook::Limits;

mod receiver;
#[cfg(test)]
mod tests;

pub use receiver::{MachineCommand, Receiver};

/// Numbers of a model's operations and tasks, from 1 on; both come from one sequence.
pub type TaskId = u64;

/// How far a task is.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    utoipa::ToSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum TaskStatus {
    Pending,
    Running,
    /// It runs and is to be stopped.
    Aborting,
    Completed,
    /// It ended, and its charm or its agent said that it failed.
    Failed,
    /// It was taken back before it ran.
    Cancelled,
    /// It was stopped while it ran.
    Aborted,
}

impl TaskStatus {
    pub const ALL: &[TaskStatus] = &[
        TaskStatus::Pending,
        TaskStatus::Running,
        TaskStatus::Aborting,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
        TaskStatus::Aborted,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Pending => "pending",
            TaskStatus::Running => "running",
            TaskStatus::Aborting => "aborting",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
            TaskStatus::Aborted => "aborted",
        }
    }

    /// Whether nothing becomes of it any more.
    pub fn has_ended(self) -> bool {
        !matches!(
            self,
            TaskStatus::Pending | TaskStatus::Running | TaskStatus::Aborting
        )
    }

    /// What becomes of it when a person cancels it; none where nothing changes.
    pub fn cancelled(self) -> Option<TaskStatus> {
        match self {
            TaskStatus::Pending => Some(TaskStatus::Cancelled),
            TaskStatus::Running => Some(TaskStatus::Aborting),
            _ => None,
        }
    }

    /// What becomes of it when whoever ran it is gone, or stopped it; none unless it was running.
    pub fn broken_off(self) -> Option<TaskStatus> {
        match self {
            TaskStatus::Running => Some(TaskStatus::Failed),
            TaskStatus::Aborting => Some(TaskStatus::Aborted),
            _ => None,
        }
    }

    /// What it is once it has ended as `ended`, completed or failed; none where it was not running. One
    /// that was to be stopped and ended first has ended.
    pub fn ends(self, ended: TaskStatus) -> Option<TaskStatus> {
        let ran = matches!(self, TaskStatus::Running | TaskStatus::Aborting);
        (ran && ended.has_ended()).then_some(ended)
    }
}

impl std::fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for TaskStatus {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let found = TaskStatus::ALL
            .iter()
            .copied()
            .find(|status| status.as_str() == text);
        found.ok_or_else(|| {
            let known = TaskStatus::ALL.iter().map(|status| status.as_str());
            format!(
                "\"{text}\" is not the status of a task{}",
                crate::nearest::suggestion(text, known)
            )
        })
    }
}

/// How far an operation is, from its tasks: what is not over counts first, then what went wrong. One
/// without tasks is over.
pub fn operation_status(tasks: impl IntoIterator<Item = TaskStatus>) -> TaskStatus {
    let order = |status: &TaskStatus| match status {
        TaskStatus::Running => 0,
        TaskStatus::Aborting => 1,
        TaskStatus::Pending => 2,
        TaskStatus::Failed => 3,
        TaskStatus::Aborted => 4,
        TaskStatus::Cancelled => 5,
        TaskStatus::Completed => 6,
    };
    let tasks = tasks.into_iter();
    tasks.min_by_key(order).unwrap_or(TaskStatus::Completed)
}

/// Beside what a task is run: one at a time on its machine unless it says otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Beside {
    /// Nothing else of its machine.
    #[default]
    Nothing,
    /// Whatever is not of the same group on its machine.
    OtherGroups(String),
    /// Whatever its own unit does not run.
    Anything,
}

impl Beside {
    /// As a charm's action, or who asks, says it: parallel tasks are run beside anything, unless
    /// they are of a group.
    pub fn of(parallel: bool, execution_group: &str) -> Self {
        match (parallel, execution_group) {
            (_, group) if !group.is_empty() => Beside::OtherGroups(group.to_owned()),
            (true, _) => Beside::Anything,
            (false, _) => Beside::Nothing,
        }
    }
}

/// A task that has not ended: the oldest of a unit, which it has to see to next, or one of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DueTask {
    pub id: TaskId,
    /// As a charm knows it: `actions/rebuild`, `commands/list`.
    pub dispatch: String,
    pub status: TaskStatus,
    #[serde(default, skip_serializing_if = "is_default")]
    pub beside: Beside,
}

fn is_default(beside: &Beside) -> bool {
    *beside == Beside::default()
}

/// How long a task may compute: what was asked for, within what one may at most; none asks for what a
/// hook may.
pub fn time_limit_ms(asked: Option<u64>, limits: &Limits) -> u64 {
    asked.map_or(limits.wall_clock_ms, |asked| {
        asked.clamp(1, crate::bounds::TASK_MILLISECONDS.most)
    })
}

/// The words of a command line: split at blanks, with quotes and backslashes as a shell has them.
///
/// # Errors
/// A quote that is not closed, or nothing after a backslash.
pub fn words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), closing) if open == closing => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = characters.next().ok_or("a backslash at the end")?;
                let word = word.get_or_insert_default();
                // Within double quotes a backslash is only special before these.
                if quote.is_some() && !matches!(next, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(next);
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (_, character) => word.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return Err("a quote that is not closed");
    }
    words.extend(word);
    Ok(words)
}
