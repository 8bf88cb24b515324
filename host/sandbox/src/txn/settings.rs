//! Settings of relations and of the leader, read and buffered.
//!
//! Own bags are read once from the context and kept with the hook's writes on top. Bags of
//! others are the context's to keep. Who may read and change what is decided here for the sake
//! of a plain answer; the controller decides it again at the commit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use periapt_model::bounds::EFFECTS_BYTES;
use periapt_model::hook;
use periapt_model::text;

use super::HookTxn;
use super::bag::Bag;
use crate::context::{CallError, HookContext, Member, RelationInfo, Settings as Values};

/// Own bags that the hook has touched.
#[derive(Debug, Default)]
pub(super) struct Settings {
    units: BTreeMap<u64, Bag>,
    applications: BTreeMap<u64, Bag>,
    leader: Option<Bag>,
}

/// One of the unit's own bags in a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnBag {
    Unit,
    Application,
}

impl Settings {
    pub fn into_effects(self) -> (BTreeMap<u64, hook::RelationSettings>, hook::Settings) {
        let mut relations: BTreeMap<u64, hook::RelationSettings> = BTreeMap::new();
        for (id, bag) in self.units {
            relations.entry(id).or_default().unit = bag.into_writes();
        }
        for (id, bag) in self.applications {
            relations.entry(id).or_default().application = bag.into_writes();
        }
        relations.retain(|_, settings| !settings.is_empty());
        let leader = self.leader.map(Bag::into_writes).unwrap_or_default();
        (relations, leader)
    }

    /// Bytes that all writes take in the commit.
    pub fn written(&self) -> usize {
        let bags = self.units.values().chain(self.applications.values());
        bags.chain(&self.leader).map(Bag::written).sum()
    }

    fn bag(
        &mut self,
        context: &mut dyn HookContext,
        relation: &RelationInfo,
        own: OwnBag,
    ) -> Result<&mut Bag, CallError> {
        let (bags, member) = match own {
            OwnBag::Unit => (&mut self.units, Member::Unit(context.unit_name())),
            OwnBag::Application => (
                &mut self.applications,
                Member::Application(own_application(context)),
            ),
        };
        Ok(match bags.entry(relation.id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unread) => {
                let settings = context.relation_settings(relation.id, &member)?;
                unread.insert(Bag::new(settings))
            }
        })
    }

    fn leader(&mut self, context: &mut dyn HookContext) -> Result<&mut Bag, CallError> {
        let bag = match self.leader.take() {
            Some(bag) => bag,
            None => Bag::new(context.leader_settings()?),
        };
        Ok(self.leader.insert(bag))
    }
}

impl HookTxn {
    /// Settings of `member` in a relation: a unit's name, or an application's.
    pub fn relation_get(
        &mut self,
        context: &mut dyn HookContext,
        relation: &str,
        member: &str,
    ) -> Result<Values, CallError> {
        let relation = find(context, relation)?;
        let own_unit = context.unit_name();
        let own = own_application(context);
        if member == own_unit {
            return Ok(self.settings.bag(context, &relation, OwnBag::Unit)?.all());
        }
        let peer = relation.remote_application == own;
        if member == own {
            // All units of a peer relation are told of these settings, so they may read them.
            if !peer {
                leader_only(context, "can read what the application set")?;
            }
            let bag = self.settings.bag(context, &relation, OwnBag::Application)?;
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
        context.relation_settings(relation.id, &member)
    }

    /// Changes the unit's own settings in a relation, or those of its application.
    pub fn relation_set(
        &mut self,
        context: &mut dyn HookContext,
        relation: &str,
        own: OwnBag,
        settings: Vec<(String, Option<String>)>,
    ) -> Result<(), CallError> {
        let relation = find(context, relation)?;
        if own == OwnBag::Application {
            leader_only(context, "can set settings of the application")?;
        }
        let others = self.state.written() + self.settings.written();
        let bag = self.settings.bag(context, &relation, own)?;
        bag.set(
            settings,
            EFFECTS_BYTES
                .length()
                .saturating_sub(others - bag.written()),
        )
    }

    /// What the leader told its units; the leader sees its own writes.
    pub fn leader_get(&mut self, context: &mut dyn HookContext) -> Result<Values, CallError> {
        Ok(self.settings.leader(context)?.all())
    }

    pub fn leader_set(
        &mut self,
        context: &mut dyn HookContext,
        settings: Vec<(String, Option<String>)>,
    ) -> Result<(), CallError> {
        leader_only(context, "can set the leader's settings")?;
        let others = self.state.written() + self.settings.written();
        let bag = self.settings.leader(context)?;
        bag.set(
            settings,
            EFFECTS_BYTES
                .length()
                .saturating_sub(others - bag.written()),
        )
    }
}

/// The relation that a charm names `ENDPOINT:NUMBER`, or by its number alone.
pub(crate) fn find(context: &dyn HookContext, name: &str) -> Result<RelationInfo, CallError> {
    let number = name.rsplit_once(':').map_or(name, |(_, number)| number);
    let shown = || text::clean_line_at_most(name, 100);
    let number: u64 = number.parse().map_err(|_| {
        CallError::invalid(format!(
            "\"{}\" is not a relation; one is named like \"website:3\"",
            shown()
        ))
    })?;
    let mut relations = context.relations().into_iter();
    relations
        .find(|relation| relation.id == number)
        .filter(|relation| !name.contains(':') || relation.name() == name)
        .ok_or_else(|| CallError::not_found(format!("the unit is not in relation {}", shown())))
}

fn own_application(context: &dyn HookContext) -> String {
    let unit = context.unit_name();
    unit.split('/').next().unwrap_or_default().to_owned()
}

fn leader_only(context: &mut dyn HookContext, what: &str) -> Result<(), CallError> {
    match context.is_leader()? {
        true => Ok(()),
        false => Err(CallError::denied(format!("only the leader {what}"))),
    }
}
