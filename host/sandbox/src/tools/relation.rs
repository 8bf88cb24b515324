//! `relation-ids`, `relation-list`, `relation-get`, `relation-set`: the unit's relations.

use periapt_contract::OwnBag;
pub use periapt_contract::RelationAnswers;
use periapt_contract::relation::{find, ids};

use super::Permission::{Everybody, LeaderForApplication};
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::relation as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("relation-ids", "relation", "ids", Read, Everybody),
    Tool::new("relation-list", "relation", "units", Read, Everybody),
    Tool::new(
        "relation-list --app",
        "relation",
        "application",
        Read,
        Everybody,
    ),
    Tool::new(
        "relation-get",
        "relation",
        "get",
        Read,
        LeaderForApplication,
    ),
    Tool::new(
        "relation-set",
        "relation",
        "set",
        AtCommit,
        LeaderForApplication,
    ),
    Tool::new(
        "relation-model-get",
        "relation",
        "model-uuid",
        Read,
        Everybody,
    ),
];

impl wit::Host for HookState {
    fn ids(&mut self, endpoint: String) -> Answer<Vec<String>> {
        self.context(|context| Ok(ids(context, &endpoint)?))
    }

    fn units(&mut self, relation: String) -> Answer<Vec<String>> {
        self.context(|context| Ok(find(context, &relation)?.members))
    }

    fn application(&mut self, relation: String) -> Answer<String> {
        self.context(|context| Ok(find(context, &relation)?.remote_application))
    }

    fn get(&mut self, relation: String, member: String) -> Answer<Vec<(String, String)>> {
        self.transaction(|txn, context| {
            txn.relation_get(context, &relation, &member)
                .map(Vec::from_iter)
        })
    }

    fn set(
        &mut self,
        relation: String,
        bag: wit::Bag,
        settings: Vec<(String, Option<String>)>,
    ) -> Answer<()> {
        let own = match bag {
            wit::Bag::Unit => OwnBag::Unit,
            wit::Bag::Application => OwnBag::Application,
        };
        self.transaction(|txn, context| txn.relation_set(context, &relation, own, settings))
    }

    fn model_uuid(&mut self, relation: String) -> Answer<String> {
        // Both ends of every relation are in one model.
        self.context(|context| {
            find(context, &relation)?;
            Ok(context.model_uuid())
        })
    }
}
