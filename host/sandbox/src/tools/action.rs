//! `action-get`, `action-set`, `action-fail`, `action-log`: what an operator asked for, and the answer.

pub use periapt_contract::ActionAnswers;

use super::Permission::InAction;
use super::Tool;
use super::When::{AtCommit, AtOnce, Read};
use crate::world::periapt::charm::action as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("action-get", "action", "current", Read, InAction),
    Tool::new("action-set", "action", "set", AtCommit, InAction),
    Tool::new("action-fail", "action", "fail", AtCommit, InAction),
    Tool::new("action-log", "action", "log", AtOnce, InAction),
    Tool::new("exit", "action", "set-return-code", AtCommit, InAction),
];

impl wit::Host for HookState {
    fn current(&mut self) -> Answer<wit::Task> {
        self.transaction(|_, context| {
            let task = context.task()?;
            Ok(wit::Task {
                id: task.id,
                name: task.name,
                parameters: serde_json::Value::Object(task.parameters).to_string(),
                arguments: task.arguments,
            })
        })
    }

    fn set(&mut self, results: String) -> Answer<()> {
        self.transaction(|txn, context| txn.action_set(context, &results))
    }

    fn fail(&mut self, message: String) -> Answer<()> {
        self.transaction(|txn, context| txn.action_fail(context, &message))
    }

    fn log(&mut self, message: String) -> Answer<()> {
        self.transaction(|txn, context| txn.action_log(context, &message))
    }

    fn set_return_code(&mut self, code: u8) -> Answer<()> {
        self.transaction(|txn, context| txn.action_return(context, code))
    }
}
