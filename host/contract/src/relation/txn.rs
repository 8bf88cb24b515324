//! Settings of relations, read and buffered.
//!
//! Own bags are read once from the agent and kept with the hook's writes on top. Bags of
//! others are the agent's to keep. Who may read and change what is decided here for the sake
//! of a plain answer; the controller decides it again at the commit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Changes, Member, OwnBag, RelationAnswers, RelationInfo, RelationSettings, find};
use crate::leadership::leader_only;
use crate::settings::{Bag, Settings};
use crate::txn::Share;
use crate::unit::application_of;
use crate::{CallError, HookTxn, text};

/// Own bags that the hook has touched.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    units: BTreeMap<u64, Bag>,
    applications: BTreeMap<u64, Bag>,
}

impl Share for Relations {
    type Changes = Changes;

    fn written(&self) -> usize {
        let bags = self.units.values().chain(self.applications.values());
        bags.map(Bag::written).sum()
    }

    fn into_changes(self) -> Changes {
        let mut relations: BTreeMap<u64, RelationSettings> = BTreeMap::new();
        for (id, bag) in self.units {
            relations.entry(id).or_default().unit = bag.into_writes();
        }
        for (id, bag) in self.applications {
            relations.entry(id).or_default().application = bag.into_writes();
        }
        let changed = relations.into_iter();
        changed
            .filter(|(_, settings)| !settings.is_empty())
            .collect()
    }
}

impl Relations {
    fn bag(
        &mut self,
        agent: &mut (impl RelationAnswers + ?Sized),
        relation: &RelationInfo,
        own: OwnBag,
    ) -> Result<&mut Bag, CallError> {
        let (bags, member) = match own {
            OwnBag::Unit => (&mut self.units, Member::Unit(agent.unit_name())),
            OwnBag::Application => (
                &mut self.applications,
                Member::Application(application_of(&agent.unit_name()).to_owned()),
            ),
        };
        Ok(match bags.entry(relation.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unread) => {
                let settings = agent.relation_settings(relation.id, &member)?;
                unread.insert(Bag::new(settings))
            }
        })
    }
}

impl HookTxn {
    /// Settings of `member` in a relation: a unit's name, or an application's.
    pub fn relation_get(
        &mut self,
        agent: &mut (impl RelationAnswers + ?Sized),
        relation: &str,
        member: &str,
    ) -> Result<Settings, CallError> {
        let relation = find(agent, relation)?;
        let own_unit = agent.unit_name();
        let own = application_of(&agent.unit_name()).to_owned();
        if member == own_unit {
            return Ok(self.relations.bag(agent, &relation, OwnBag::Unit)?.all());
        }
        let peer = relation.remote_application == own;
        if member == own {
            // All units of a peer relation are told of these settings, so they may read them.
            if !peer {
                leader_only(agent, "can read what the application set")?;
            }
            let bag = self.relations.bag(agent, &relation, OwnBag::Application)?;
            return Ok(bag.all());
        }
        let theirs = match member.split_once('/') {
            Some((application, number)) if number.parse::<u64>().is_ok() => application,
            _ => member,
        };
        if theirs != relation.remote_application {
            return Err(CallError::not_found(format!(
                "\"{}\" takes no part in relation {}",
                text::clean_line_at_most(member, 100),
                relation.name()
            )));
        }
        let member = match theirs == member {
            true => Member::Application(member.to_owned()),
            false => Member::Unit(member.to_owned()),
        };
        agent.relation_settings(relation.id, &member)
    }

    /// Changes the unit's own settings in a relation, or those of its application.
    pub fn relation_set(
        &mut self,
        agent: &mut (impl RelationAnswers + ?Sized),
        relation: &str,
        bag: OwnBag,
        settings: Vec<(String, Option<String>)>,
    ) -> Result<(), CallError> {
        let relation = find(agent, relation)?;
        if bag == OwnBag::Application {
            leader_only(agent, "can set settings of the application")?;
        }
        let own = self.relations.bag(agent, &relation, bag)?.written();
        let room = self.room(own);
        let bag = self.relations.bag(agent, &relation, bag)?;
        bag.set(settings, room)
    }
}
