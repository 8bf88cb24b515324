//! Relations between the applications of a model.

use std::collections::{BTreeMap, BTreeSet};

use periapt_declared::{Endpoint, Role, suggestion};

use super::hooks::Due;
use super::{Model, wrong};
use crate::RelationHook;

/// The endpoint that every charm provides.
const JUJU_INFO: &str = "juju-info";

/// One relation.
pub(super) struct Integration {
    /// Application and endpoint of both ends, or of the one.
    ends: Vec<(String, String)>,
    /// It stays between a unit and its subordinate.
    pub container: bool,
    /// Nobody enters it any more.
    ended: bool,
    /// What each member published.
    pub bags: BTreeMap<String, BTreeMap<String, String>>,
    /// Whom each unit has seen join.
    seen: BTreeMap<String, BTreeSet<String>>,
}

impl Integration {
    pub fn peers(application: &str, endpoint: &str) -> Self {
        Self {
            ends: vec![(application.to_owned(), endpoint.to_owned())],
            container: false,
            ended: false,
            bags: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    pub fn is_peers_of(&self, application: &str, endpoint: &str) -> bool {
        matches!(self.ends.as_slice(), [(name, at)] if name == application && at == endpoint)
    }

    /// `blog:database db:clients`.
    pub fn words(&self) -> String {
        let ends = self.ends.iter();
        let ends = ends.map(|(application, endpoint)| format!("{application}:{endpoint}"));
        ends.collect::<Vec<_>>().join(" ")
    }

    /// The endpoint of a unit's own end, and the application at the other.
    pub fn end_of(&self, unit: &str) -> Option<(String, String)> {
        let own = application_of(unit);
        let at = self.ends.iter().position(|(name, _)| name == own)?;
        let other = match self.ends.len() {
            1 => at,
            _ => 1 - at,
        };
        Some((self.ends[at].1.clone(), self.ends[other].0.clone()))
    }

    /// Whom a unit has seen join.
    pub fn seen_by(&mut self, unit: &str) -> &mut BTreeSet<String> {
        self.seen.entry(unit.to_owned()).or_default()
    }

    /// Whether a unit is in the relation.
    pub fn has(&self, unit: &str) -> bool {
        self.seen.contains_key(unit)
    }

    pub fn members(&self) -> Vec<String> {
        self.seen.keys().cloned().collect()
    }

    pub fn remove(&mut self, unit: &str) {
        self.seen.remove(unit);
        self.bags.remove(unit);
    }

    /// Units that are told of what `unit` says.
    pub fn told_by(&self, unit: &str) -> Vec<String> {
        let told = self.seen.iter().filter(|(_, seen)| seen.contains(unit));
        told.map(|(name, _)| name.clone()).collect()
    }

    /// Units that are told of what an application says by its leader.
    pub fn told_for(&self, application: &str, leader: &str) -> Vec<String> {
        let peers = self.ends.len() == 1;
        let members = self.seen.keys().filter(|member| match peers {
            true => member.as_str() != leader,
            false => application_of(member) != application,
        });
        members.cloned().collect()
    }
}

pub(super) fn application_of(unit: &str) -> &str {
    periapt_contract::unit::application_of(unit)
}

impl Model {
    pub(super) fn add_integration(&mut self, integration: Integration) -> u64 {
        let number = self.next_relation;
        self.next_relation += 1;
        self.relations.insert(number, integration);
        number
    }

    /// The relation that is meant by two ends.
    pub(super) fn fitting(&self, one: &str, other: &str) -> Integration {
        let (left, right) = (self.ends(one), self.ends(other));
        let mut found = Vec::new();
        for (near, here) in &left {
            for (far, there) in &right {
                let opposite = matches!(
                    (here.role, there.role),
                    (Role::Provides, Role::Requires) | (Role::Requires, Role::Provides)
                );
                if opposite && here.interface == there.interface {
                    found.push((near, far, here.container || there.container));
                }
            }
        }
        // The one that every charm has is meant where nothing else fits.
        if found.len() > 1 {
            found.retain(|(near, far, _)| near.1 != JUJU_INFO && far.1 != JUJU_INFO);
        }
        match found.as_slice() {
            [(near, far, container)] => Integration {
                ends: vec![(*near).clone(), (*far).clone()],
                container: *container,
                ended: false,
                bags: BTreeMap::new(),
                seen: BTreeMap::new(),
            },
            [] => wrong(&format!(
                "\"{one}\" and \"{other}\" have no endpoints of one interface, provided by one and required by the other"
            )),
            several => {
                let pairs = several.iter().map(|(near, far, _)| {
                    format!("{}:{} with {}:{}", near.0, near.1, far.0, far.1)
                });
                wrong(&format!(
                    "\"{one}\" and \"{other}\" could be integrated in several ways; write one of {}",
                    pairs.collect::<Vec<_>>().join(", ")
                ))
            }
        }
    }

    /// The endpoints that are meant by `NAME` or `NAME:ENDPOINT`.
    fn ends(&self, end: &str) -> Vec<((String, String), Endpoint)> {
        let (name, endpoint) = match end.split_once(':') {
            Some((name, endpoint)) => (name, Some(endpoint)),
            None => (end, None),
        };
        let declared = &self.application(name).declared.endpoints;
        let implicit = Endpoint {
            role: Role::Provides,
            interface: JUJU_INFO.to_owned(),
            container: false,
        };
        let all = declared
            .iter()
            .map(|(at, endpoint)| (at.clone(), endpoint.clone()))
            .chain([(JUJU_INFO.to_owned(), implicit)]);
        let meant: Vec<((String, String), Endpoint)> = all
            .filter(|(at, _)| endpoint.is_none_or(|endpoint| endpoint == at))
            .map(|(at, endpoint)| ((name.to_owned(), at), endpoint))
            .collect();
        if let (true, Some(endpoint)) = (meant.is_empty(), endpoint) {
            wrong(&format!(
                "\"{name}\" declares no endpoint \"{endpoint}\"{}",
                suggestion(endpoint, declared.keys().map(String::as_str))
            ));
        }
        meant
    }

    /// Has all units of both ends enter a new relation. Where one end is a subordinate, its units come first.
    pub(super) fn enter_all(&mut self, number: u64) {
        let (ends, container) = match self.relations.get(&number) {
            Some(held) => (held.ends.clone(), held.container),
            None => return,
        };
        let names: Vec<String> = ends.into_iter().map(|(name, _)| name).collect();
        if container {
            self.bring_subordinates(&names);
        }
        for name in &names {
            for unit in self.units(name) {
                self.enter(&unit, number);
            }
        }
    }

    /// Each unit of the principal has one of the subordinate.
    fn bring_subordinates(&mut self, names: &[String]) {
        let is_subordinate = |name: &String| self.application(name).declared.subordinate;
        let (Some(subordinate), Some(principal)) = (
            names.iter().find(|name| is_subordinate(name)).cloned(),
            names.iter().find(|name| !is_subordinate(name)).cloned(),
        ) else {
            return;
        };
        for unit in self.units(&principal) {
            let principals = &self.application(&subordinate).principals;
            if !principals.values().any(|held| *held == unit) {
                self.begin_unit(&subordinate, Some(&unit));
            }
        }
    }

    /// Subordinates of one more unit of a principal.
    pub(super) fn follow(&mut self, unit: &str) {
        let own = application_of(unit).to_owned();
        let relations = self.relations.values();
        let held = relations.filter(|held| held.container && !held.ended && held.ends.len() == 2);
        let of_unit = held.filter(|held| held.ends.iter().any(|(name, _)| *name == own));
        let names: Vec<Vec<String>> = of_unit
            .map(|held| held.ends.iter().map(|(name, _)| name.clone()).collect())
            .collect();
        for names in names {
            self.bring_subordinates(&names);
        }
    }

    /// Relations that a unit of an application takes part in.
    pub(super) fn relations_of(&self, application: &str) -> Vec<u64> {
        let found = self.relations.iter().filter(|(_, held)| !held.ended);
        let found = found.filter(|(_, held)| held.ends.iter().any(|(name, _)| name == application));
        found.map(|(number, _)| *number).collect()
    }

    /// Has a unit enter a relation: it is created for it, and those at the other end and it see each other.
    pub(super) fn enter(&mut self, unit: &str, number: u64) {
        let address = super::flow::address_of(unit);
        let others = self.others(unit, number);
        let Some(held) = self.relations.get_mut(&number) else {
            return;
        };
        if held.has(unit) {
            return;
        }
        held.seen_by(unit);
        super::flow::enter(held.bags.entry(unit.to_owned()).or_default(), &address);
        self.then(unit, Due::relation(RelationHook::Created, number, None));
        for other in others {
            for (own, remote) in [(unit, other.as_str()), (other.as_str(), unit)] {
                let due = |hook| Due::relation(hook, number, Some(remote));
                self.then(own, due(RelationHook::Joined));
                self.then(own, due(RelationHook::Changed));
            }
        }
    }

    /// Members that a unit is in a relation with.
    fn others(&self, unit: &str, number: u64) -> Vec<String> {
        let Some(held) = self.relations.get(&number) else {
            return Vec::new();
        };
        let peers = held.ends.len() == 1;
        let own = application_of(unit);
        let members = held.members().into_iter();
        let across = members.filter(|other| match peers {
            true => other != unit,
            false => application_of(other) != own,
        });
        across
            .filter(|other| !held.container || self.are_together(unit, other))
            .collect()
    }

    /// Whether one of two units is the other's subordinate.
    fn are_together(&self, one: &str, other: &str) -> bool {
        let is_of = |subordinate: &str, principal: &str| {
            let application = self.applications.get(application_of(subordinate));
            let held = application.and_then(|held| held.principals.get(subordinate));
            held.is_some_and(|held| held == principal)
        };
        is_of(one, other) || is_of(other, one)
    }

    /// Has a unit leave a relation: the others see it go, and it sees them go.
    pub(super) fn depart(&mut self, unit: &str, number: u64) {
        for other in self.others(unit, number) {
            let members = self.relations.get(&number);
            let saw = |who: &str, whom: &str| {
                members.is_some_and(|held| held.told_by(whom).iter().any(|name| name == who))
            };
            let (theirs, own) = (saw(&other, unit), saw(unit, &other));
            if theirs {
                self.then(&other, Due::departed(number, unit, unit));
            }
            if own {
                self.then(unit, Due::departed(number, &other, unit));
            }
        }
        self.then(unit, Due::relation(RelationHook::Broken, number, None));
    }

    pub(super) fn end_relation(&mut self, number: u64) {
        let (members, container) = match self.relations.get_mut(&number) {
            Some(held) => {
                held.ended = true;
                (held.members(), held.container)
            }
            None => return,
        };
        for unit in &members {
            for other in self.others(unit, number) {
                self.then(unit, Due::departed(number, &other, &other));
            }
        }
        for unit in &members {
            self.then(unit, Due::relation(RelationHook::Broken, number, None));
        }
        // A subordinate lives for as long as a relation holds it.
        if container {
            for unit in members {
                let application = self.application(application_of(&unit));
                if application.principals.contains_key(&unit) {
                    self.finish(&unit);
                }
            }
        }
    }

    /// A unit has left a relation; one that was ended goes with the last unit.
    pub(super) fn leave(&mut self, unit: &str, number: u64) {
        let Some(held) = self.relations.get_mut(&number) else {
            return;
        };
        held.remove(unit);
        let over = held.ended && held.seen.is_empty();
        self.end_grants(number, unit);
        if over {
            self.relations.remove(&number);
        }
    }
}
