//! `is-leader`, `leader-get`, `leader-set`: who leads, and what the leader tells its units.

pub use periapt_contract::LeadershipAnswers;

use super::Permission::{Everybody, Leader};
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::leadership as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("is-leader", "leadership", "is-leader", Read, Everybody),
    Tool::new("leader-get", "leadership", "settings", Read, Everybody),
    Tool::new("leader-set", "leadership", "set", AtCommit, Leader),
];

impl wit::Host for HookState {
    fn is_leader(&mut self) -> Answer<bool> {
        self.context(|context| Ok(context.is_leader()?))
    }

    fn settings(&mut self) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| txn.leader_get(context).map(Vec::from_iter))
    }

    fn set(&mut self, settings: Vec<(String, Option<String>)>) -> Answer<()> {
        self.transaction(|txn, context| txn.leader_set(context, settings))
    }
}
