//! `state-get`, `state-set`, `state-delete`: the unit's own keys.

pub use periapt_contract::StateAnswers;

use super::Permission::Everybody;
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::state as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("state-get KEY", "state", "get", Read, Everybody),
    Tool::new("state-set", "state", "set", AtCommit, Everybody),
    Tool::new("state-delete", "state", "delete", AtCommit, Everybody),
    Tool::new("state-get", "state", "all", Read, Everybody),
];

impl wit::Host for HookState {
    fn get(&mut self, key: String) -> Answer<Option<String>> {
        self.transaction(|txn, context| txn.state_get(context, &key))
    }

    fn set(&mut self, key: String, value: String) -> Answer<()> {
        self.transaction(|txn, context| txn.state_set(context, key, value))
    }

    fn delete(&mut self, key: String) -> Answer<()> {
        self.transaction(|txn, context| txn.state_delete(context, key))
    }

    fn all(&mut self) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| txn.state_all(context))
    }
}
