//! The controller's side of the relations of a simulated unit: a peer relation, which lasts,
//! and others that are made, suspended, removed and forced away.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::hook::{Info, Kind};
use crate::relation::{HookKind, RemoteRelation};
use crate::{Life, UnitName};

/// The number of the peer relation; the others count up from it.
pub(super) const PEERS: u64 = 0;
/// Relations other than the peers' that there may be at a time.
const SLOTS: u8 = 2;

/// What others do.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    Integrate(u8),
    Remove(u8),
    RemoveByForce(u8),
    Suspend(u8, bool),
    Enters(u8, u8),
    Leaves(u8, u8),
    Writes(u8, u8),
    ApplicationWrites(u8),
}

pub(super) fn deed() -> impl Strategy<Value = Deed> {
    // The slot past the last is the peer relation's.
    let slot = || 0..SLOTS + 1;
    let unit = || 1..4u8;
    prop_oneof![
        3 => (0..SLOTS).prop_map(Deed::Integrate),
        1 => (0..SLOTS).prop_map(Deed::Remove),
        1 => (0..SLOTS).prop_map(Deed::RemoveByForce),
        2 => (0..SLOTS, any::<bool>()).prop_map(|(slot, on)| Deed::Suspend(slot, on)),
        6 => (slot(), unit()).prop_map(|(slot, unit)| Deed::Enters(slot, unit)),
        4 => (slot(), unit()).prop_map(|(slot, unit)| Deed::Leaves(slot, unit)),
        4 => (slot(), unit()).prop_map(|(slot, unit)| Deed::Writes(slot, unit)),
        2 => slot().prop_map(Deed::ApplicationWrites),
    ]
}

#[derive(Clone, Debug)]
struct Relation {
    remote: RemoteRelation,
    /// Whether the simulated unit is in scope.
    entered: bool,
    /// Which of the places for relations it takes; it is free again once this one ends.
    slot: u8,
}

pub(super) struct Relations {
    all: BTreeMap<u64, Relation>,
    next: u64,
    version: u64,
}

impl Relations {
    pub fn new() -> Self {
        let peers = Relation {
            remote: related("cluster", "site", true),
            entered: false,
            slot: SLOTS,
        };
        Self {
            all: BTreeMap::from([(PEERS, peers)]),
            next: PEERS + 1,
            version: 1,
        }
    }

    /// As the controller tells the unit: those that end only while the unit is in scope.
    pub fn told(&self) -> BTreeMap<u64, RemoteRelation> {
        let told = self.all.iter();
        let told = told.filter(|(_, relation)| {
            relation.entered || (relation.remote.life == Life::Alive && !relation.remote.suspended)
        });
        told.map(|(id, relation)| (*id, relation.remote.clone()))
            .collect()
    }

    /// What happened, for the story; none if it could not.
    pub fn happens(&mut self, deed: &Deed) -> Option<String> {
        self.version += 1;
        let version = self.version;
        match deed {
            Deed::Integrate(slot) => {
                let taken = |relation: &Relation| {
                    relation.slot == *slot && relation.remote.life == Life::Alive
                };
                if self.all.values().any(taken) {
                    return None;
                }
                let (id, names) = (self.next, ["db", "cache"][usize::from(*slot)]);
                self.next += 1;
                let relation = Relation {
                    remote: related(names, &format!("{names}-server"), false),
                    entered: false,
                    slot: *slot,
                };
                self.all.insert(id, relation);
                Some(format!("relation {id} at {names} is made"))
            }
            Deed::Remove(slot) => {
                let (id, relation) = self.alive(*slot)?;
                relation.remote.life = Life::Dying;
                if !relation.entered {
                    self.all.remove(&id);
                }
                Some(format!("relation {id} is removed"))
            }
            Deed::RemoveByForce(slot) => {
                let (id, _) = self.alive(*slot)?;
                self.all.remove(&id);
                Some(format!("relation {id} is removed by force"))
            }
            Deed::Suspend(slot, on) => {
                let (id, relation) = self.alive(*slot)?;
                relation.remote.suspended = *on;
                let what = if *on { "suspended" } else { "resumed" };
                Some(format!("relation {id} is {what}"))
            }
            Deed::Enters(slot, number) => {
                let (id, relation) = self.alive(*slot)?;
                let unit = member(relation, *number);
                relation
                    .remote
                    .members
                    .entry(unit.clone())
                    .or_insert(version);
                Some(format!("{unit} enters relation {id}"))
            }
            Deed::Leaves(slot, number) => {
                let (id, relation) = self.alive(*slot)?;
                let unit = member(relation, *number);
                relation.remote.members.remove(&unit)?;
                Some(format!("{unit} leaves relation {id}"))
            }
            Deed::Writes(slot, number) => {
                let (id, relation) = self.alive(*slot)?;
                let unit = member(relation, *number);
                *relation.remote.members.get_mut(&unit)? = version;
                Some(format!("{unit} writes into relation {id}"))
            }
            Deed::ApplicationWrites(slot) => {
                let (id, relation) = self.alive(*slot)?;
                let application = relation.remote.remote_application.clone();
                let text = format!("the leader of {application} writes into relation {id}");
                relation.remote.applications.insert(application, version);
                Some(text)
            }
        }
    }

    /// The unit begins `hook`, which may bring it into scope.
    pub fn begins(&mut self, hook: &Info) -> Result<(), String> {
        let Some(event) = &hook.relation else {
            return Ok(());
        };
        let relation = self.all.get_mut(&event.hook.relation);
        match (event.hook.kind, relation) {
            (HookKind::Created, Some(relation)) => relation.entered = true,
            (HookKind::Created, None) => {
                return Err(format!("{} of a relation that is gone", hook.name()));
            }
            (_, Some(relation)) if !relation.entered => {
                return Err(format!("{} out of scope", hook.name()));
            }
            _ => {}
        }
        Ok(())
    }

    /// The unit's `hook` was committed, which may take it out of scope.
    pub fn commits(&mut self, hook: &Info) {
        if hook.kind == Kind::RelationBroken
            && let Some(event) = &hook.relation
            && let Some(relation) = self.all.get_mut(&event.hook.relation)
        {
            relation.entered = false;
            if relation.remote.life != Life::Alive {
                self.all.remove(&event.hook.relation);
            }
        }
    }

    fn alive(&mut self, slot: u8) -> Option<(u64, &mut Relation)> {
        let mut all = self.all.iter_mut();
        let (id, relation) =
            all.find(|(_, relation)| relation.slot == slot && relation.remote.life == Life::Alive)?;
        Some((*id, relation))
    }
}

fn member(relation: &Relation, number: u8) -> UnitName {
    UnitName::new(&relation.remote.remote_application, u64::from(number))
}

fn related(endpoint: &str, application: &str, peer: bool) -> RemoteRelation {
    RemoteRelation {
        endpoint: endpoint.to_owned(),
        remote_application: application.parse().unwrap(),
        life: Life::Alive,
        suspended: false,
        peer,
        members: BTreeMap::new(),
        applications: BTreeMap::new(),
    }
}
