//! `action-get`, `action-set`, `action-fail`, `action-log`: what an action or a command was asked for and
//! what it answers. In a hook nobody asked, so there every call is refused.
//!
//! An [`Outcome`] is committed with everything else that the action asked for, in one step; of one that
//! traps nothing is kept but the lines that it told at once. Results are a JSON object, as in Juju a
//! tree of lower-case keys.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::CallError;
use crate::effects::Effect;

#[cfg(test)]
mod tests;
mod txn;

pub(crate) use txn::Answer;

/// Results by key.
pub type Results = Map<String, Value>;

/// Keys that are the agent's to write: what a command printed and how it ended.
pub const RESERVED_RESULTS: &[&str] = &[
    "stdout",
    "stdout-encoding",
    "stderr",
    "stderr-encoding",
    "return-code",
];

/// How the names begin by which a charm knows its actions and its commands: `actions/rebuild`.
pub const ACTIONS: &str = "actions/";
pub const COMMANDS: &str = "commands/";

/// What a dispatch is that is no hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked<'a> {
    Action(&'a str),
    Command(&'a str),
}

impl<'a> Asked<'a> {
    /// What a charm knows by this name; none for a hook.
    pub fn of(dispatch: &'a str) -> Option<Self> {
        let action = dispatch.strip_prefix(ACTIONS).map(Asked::Action);
        action.or_else(|| dispatch.strip_prefix(COMMANDS).map(Asked::Command))
    }

    /// Without what tells actions and commands apart.
    pub fn name(self) -> &'a str {
        match self {
            Asked::Action(name) | Asked::Command(name) => name,
        }
    }
}

/// What is being run, of an action or a command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// As people name it: `12`.
    pub id: String,
    /// The action, or the command.
    pub name: String,
    /// What the action was given, defaults included.
    pub parameters: Map<String, Value>,
    /// The words after the command's name.
    pub arguments: Vec<String>,
}

/// What an agent answers for `action`.
pub trait ActionAnswers {
    /// What is being run; denied in a hook.
    fn task(&mut self) -> Result<Task, CallError> {
        Err(not_asked())
    }

    /// Shows a line to whoever waits for the task, at once.
    fn log_task(&mut self, _message: &str) -> Result<(), CallError> {
        Err(not_asked())
    }
}

fn not_asked() -> CallError {
    CallError::denied(
        "a hook was asked for by nobody; only actions and commands have parameters and results",
    )
}

/// What an action answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Outcome {
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub results: Results,
    /// Why it failed, in the charm's words; none if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// How a command ended, if not with 0.
    #[serde(skip_serializing_if = "is_zero")]
    pub return_code: u8,
}

fn is_zero(code: &u8) -> bool {
    *code == 0
}

impl Effect for Outcome {
    fn changes_nothing(&self) -> bool {
        *self == Self::default()
    }

    fn words(&self) -> Vec<String> {
        let results = self.results.keys().map(|key| format!("result {key}"));
        let failure = self.failure.iter().map(|_| "failure".to_owned());
        results.chain(failure).collect()
    }
}
