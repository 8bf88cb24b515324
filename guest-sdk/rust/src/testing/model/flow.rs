//! How a unit comes and goes, and what passes between the model and a unit before and after each hook.

use std::collections::BTreeMap;

use super::super::host::TestHost;
use super::super::relations::TestRelation;
use super::Model;
use super::hooks::Due;
use super::relations::application_of;
use crate::{Hook, RelationHook};

/// An address for each unit of a model, made of its name.
pub(super) fn address_of(unit: &str) -> String {
    let sum = unit.bytes().fold(7_u32, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    let [_, a, b, c] = sum.to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

/// What the host writes into the bag of a unit that enters.
pub(super) fn enter(bag: &mut BTreeMap<String, String>, address: &str) {
    bag.insert("egress-subnets".to_owned(), format!("{address}/32"));
    bag.insert("ingress-address".to_owned(), address.to_owned());
    bag.insert("private-address".to_owned(), address.to_owned());
}

impl Model {
    /// Makes a unit, and has it run the first hooks of its life.
    pub(super) fn begin_unit(&mut self, application: &str, principal: Option<&str>) -> String {
        let shared = principal.map(|unit| self.require_unit(unit).shared());
        let held = self.application_mut(application);
        let number = held.next_unit;
        held.next_unit += 1;
        held.units.insert(number);
        let unit = format!("{application}/{number}");
        if let Some(principal) = principal {
            held.principals.insert(unit.clone(), principal.to_owned());
        }
        let first = held.leader.is_none();
        if first {
            held.leader = Some(unit.clone());
        }
        let mut charm = (held.make)();
        let storage = held.declared.storage.iter();
        let storage: Vec<(String, u32)> = storage
            .map(|(name, declared)| (name.clone(), declared.least))
            .collect();
        let host = charm.host();
        host.unit.clone_from(&unit);
        host.address = address_of(&unit);
        if let Some(shared) = shared {
            charm.share(shared);
        }
        self.units.insert(unit.clone(), charm);
        for (name, least) in storage {
            for _ in 0..least {
                self.due
                    .push_back((unit.clone(), Due::Storage(name.clone())));
            }
        }
        self.then(&unit, Due::Hook(Hook::Install));
        // Relations are there before the rest begins; who is in them is seen afterwards.
        let relations = self.relations_of(application);
        let mut later = Vec::new();
        for number in relations {
            let before = self.due.len();
            self.enter(&unit, number);
            let due = self.due.split_off(before);
            let (created, seen): (Vec<_>, Vec<_>) = due.into_iter().partition(|(_, due)| {
                matches!(
                    due,
                    Due::Relation {
                        hook: RelationHook::Created,
                        ..
                    }
                )
            });
            self.due.extend(created);
            later.extend(seen);
        }
        if first {
            self.then(&unit, Due::Hook(Hook::LeaderElected));
        }
        self.then(&unit, Due::Hook(Hook::ConfigChanged));
        self.then(&unit, Due::Hook(Hook::Start));
        self.due.extend(later);
        self.await_update(&unit);
        if principal.is_none() {
            self.follow(&unit);
        }
        unit
    }

    /// Has a unit, with its subordinates, run the last hooks of its life.
    pub(super) fn end_unit(&mut self, unit: &str) {
        let applications = self.applications.values();
        let subordinates: Vec<String> = applications
            .flat_map(|held| &held.principals)
            .filter(|(_, principal)| *principal == unit)
            .map(|(name, _)| name.clone())
            .collect();
        for subordinate in subordinates {
            self.end_unit(&subordinate);
        }
        for number in self.relations_of(application_of(unit)) {
            if self
                .relations
                .get(&number)
                .is_some_and(|held| held.has(unit))
            {
                self.depart(unit, number);
            }
        }
        self.finish(unit);
    }

    /// What comes after the relations of a unit.
    pub(super) fn finish(&mut self, unit: &str) {
        self.then(unit, Due::Detach);
        self.then(unit, Due::Hook(Hook::Stop));
        self.then(unit, Due::Hook(Hook::Remove));
        self.then(unit, Due::Gone);
    }

    /// Takes a unit out of the model. If it led, the first of the others leads.
    pub(super) fn forget(&mut self, unit: &str) {
        self.units.remove(unit);
        self.updates.remove(unit);
        self.due.retain(|(other, _)| other != unit);
        for held in self.relations.values_mut() {
            held.remove(unit);
        }
        self.forget_secrets_of(unit);
        let name = application_of(unit).to_owned();
        let held = self.application_mut(&name);
        held.principals.remove(unit);
        if let Some(number) = unit
            .rsplit_once('/')
            .and_then(|(_, number)| number.parse().ok())
        {
            held.units.remove(&number);
        }
        if held.leader.as_deref() == Some(unit) {
            held.leader = None;
            if let Some(next) = self.units(&name).first().cloned() {
                self.lead(&next);
            }
        }
    }

    /// Has a unit lead its application.
    pub(super) fn lead(&mut self, unit: &str) {
        let held = self.application_mut(application_of(unit));
        if held.leader.as_deref() != Some(unit) {
            held.leader = Some(unit.to_owned());
            self.then(unit, Due::Hook(Hook::LeaderElected));
        }
    }

    /// Puts before a unit what the model is.
    pub(super) fn show(&mut self, unit: &str, host: &mut TestHost) {
        let held = self.application(application_of(unit));
        host.now = self.now;
        host.config.clone_from(&held.config);
        host.leader = held.leader.as_deref() == Some(unit);
        host.leader_settings.clone_from(&held.settings);
        host.application_status.clone_from(&held.status);
        host.relations.clear();
        for (number, held) in &mut self.relations {
            if !held.has(unit) {
                continue;
            }
            let Some((endpoint, application)) = held.end_of(unit) else {
                continue;
            };
            let relation = TestRelation {
                endpoint,
                application,
                units: held.seen_by(unit).clone(),
                bags: held.bags.clone(),
            };
            host.relations.insert(*number, relation);
        }
        self.show_secrets(unit, host);
    }

    /// Takes over what a unit made of it, and tells whom it concerns.
    pub(super) fn take(&mut self, unit: &str, host: &mut TestHost) {
        let name = application_of(unit).to_owned();
        let mut due = Vec::new();
        for (number, shown) in &host.relations {
            let Some(held) = self.relations.get_mut(number) else {
                continue;
            };
            let said = |member: &str| shown.bags.get(member).cloned().unwrap_or_default();
            let had = |member: &str| held.bags.get(member).cloned().unwrap_or_default();
            let (own, all) = (said(unit), said(&name));
            let (own_differs, all_differs) = (own != had(unit), all != had(&name));
            if own_differs {
                held.bags.insert(unit.to_owned(), own);
                let told = held.told_by(unit).into_iter();
                due.extend(told.map(|other| {
                    (
                        other,
                        Due::relation(RelationHook::Changed, *number, Some(unit)),
                    )
                }));
            }
            if all_differs {
                held.bags.insert(name.clone(), all);
                let told = held.told_for(&name, unit).into_iter();
                due.extend(
                    told.map(|other| (other, Due::relation(RelationHook::Changed, *number, None))),
                );
            }
        }
        let held = self.application_mut(&name);
        held.status.clone_from(&host.application_status);
        if held.settings != host.leader_settings {
            held.settings.clone_from(&host.leader_settings);
            let others = self.units(&name).into_iter().filter(|other| other != unit);
            due.extend(others.map(|other| (other, Due::Hook(Hook::LeaderSettingsChanged))));
        }
        for (other, due) in due {
            self.then(&other, due);
        }
        self.take_secrets(unit, host);
    }
}
