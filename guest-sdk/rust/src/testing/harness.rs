//! The other ends of a unit under test: relations, leadership, shared directories, resources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use periapt_contract::settings;

use crate::relation::data;
use crate::{
    Charm, Event, GoalState, Hook, Network, RelationData, RelationEvent, RelationHook, Result,
};

use super::relations::{TestRelation, address_of, number};
use super::{Harness, Outcome, files};

/// Relations. An id is what [`Harness::add_relation`] gives, `website:0`.
///
/// # Panics
/// All of these panic for an id that the test did not get from the harness, and for an endpoint that the
/// charm's files do not declare.
impl<C: Charm> Harness<C> {
    /// Relates an endpoint to an application, without units yet, and runs `relation-created`.
    /// The unit's own application (`test`) makes a peer relation.
    pub fn add_relation(&mut self, endpoint: &str, application: &str) -> Result<String> {
        self.require_endpoint(endpoint);
        let host = self.host.get_mut();
        let id = host.next_relation;
        host.next_relation += 1;
        let mut relation = TestRelation {
            endpoint: endpoint.to_owned(),
            application: application.to_owned(),
            ..TestRelation::default()
        };
        relation.enter(&host.unit, &host.address);
        host.relations.insert(id, relation);
        let id = format!("{endpoint}:{id}");
        self.run_relation(RelationHook::Created, &id, None, None)?;
        Ok(id)
    }

    /// A unit comes: `relation-joined`, then `relation-changed`. What it published before, with
    /// [`Harness::set_data`], both hooks see.
    pub fn join(&mut self, relation: &str, unit: &str) -> Result<Outcome> {
        let held = self.relation_mut(relation);
        held.enter(unit, &address_of(unit));
        held.units.insert(unit.to_owned());
        self.run_relation(RelationHook::Joined, relation, Some(unit), None)?;
        self.run_relation(RelationHook::Changed, relation, Some(unit), None)
    }

    /// A member says something new: a unit, or an application by its leader. Sets its data and
    /// runs `relation-changed`.
    pub fn change<T: RelationData>(
        &mut self,
        relation: &str,
        member: &str,
        said: &T,
    ) -> Result<Outcome> {
        self.set_data(relation, member, said);
        let unit = member.contains('/').then_some(member);
        self.run_relation(RelationHook::Changed, relation, unit, None)
    }

    /// A unit at the other end goes: `relation-departed`.
    pub fn depart(&mut self, relation: &str, unit: &str) -> Result<Outcome> {
        self.relation_mut(relation).units.remove(unit);
        self.run_relation(RelationHook::Departed, relation, Some(unit), Some(unit))
    }

    /// The relation ends: `relation-departed` for every unit that is left, `relation-broken`,
    /// and it is gone.
    pub fn break_relation(&mut self, relation: &str) -> Result<Outcome> {
        let units = std::mem::take(&mut self.relation_mut(relation).units);
        let own = self.host.get_mut().unit.clone();
        for unit in units {
            self.run_relation(RelationHook::Departed, relation, Some(&unit), Some(&own))?;
        }
        let outcome = self.run_relation(RelationHook::Broken, relation, None, None)?;
        let host = self.host.get_mut();
        if let Some(number) = number(relation) {
            host.relations.remove(&number);
            for secret in host.secrets.values_mut() {
                secret.grants.retain(|grant| grant.relation != number);
            }
        }
        Ok(outcome)
    }

    /// Has a member publish `said`, without a hook.
    pub fn set_data<T: RelationData>(
        &mut self,
        relation: &str,
        member: &str,
        said: &T,
    ) -> &mut Self {
        let keys = must(data::write(said), "the data cannot be published");
        let changes = keys.into_iter().collect();
        settings::apply(self.relation_mut(relation).bag_mut(member), &changes);
        self
    }

    /// Has a member set keys as text, as a charm without this crate does; no hook runs.
    pub fn set_settings(
        &mut self,
        relation: &str,
        member: &str,
        settings: &[(&str, &str)],
    ) -> &mut Self {
        let bag = self.relation_mut(relation).bag_mut(member);
        bag.extend(
            settings
                .iter()
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned())),
        );
        self
    }

    /// What a member published, the unit under test (`test/0`) and its application (`test`)
    /// among them. None where it published nothing of `T`.
    pub fn data<T: RelationData>(&self, relation: &str, member: &str) -> Option<T> {
        must(
            data::read(&self.settings(relation, member)),
            "the data does not fit",
        )
    }

    /// The committed bag of a member as text.
    pub fn settings(&self, relation: &str, member: &str) -> BTreeMap<String, String> {
        let host = self.host.borrow();
        let held = number(relation).and_then(|number| host.relations.get(&number));
        let held = must(held.ok_or(relation), "there is no such relation");
        held.bags.get(member).cloned().unwrap_or_default()
    }

    fn relation_mut(&mut self, id: &str) -> &mut TestRelation {
        let host = self.host.get_mut();
        let held = number(id).and_then(|number| host.relations.get_mut(&number));
        must(held.ok_or(id), "there is no such relation")
    }

    fn run_relation(
        &mut self,
        hook: RelationHook,
        relation: &str,
        remote_unit: Option<&str>,
        departing_unit: Option<&str>,
    ) -> Result<Outcome> {
        let held = self.relation_mut(relation);
        let event = RelationEvent {
            hook,
            endpoint: held.endpoint.clone(),
            relation: relation.to_owned(),
            remote_application: held.application.clone(),
            remote_unit: remote_unit.map(str::to_owned),
            departing_unit: departing_unit.map(str::to_owned),
        };
        self.run_event(&Event::from(event))
    }
}

/// Leadership and the model.
impl<C: Charm> Harness<C> {
    /// Makes the unit the leader and runs `leader-elected`.
    pub fn elect(&mut self) -> Result<Outcome> {
        self.set_leader(true).run(Hook::LeaderElected)
    }

    /// What the leader told its units, the unit under test or another one.
    pub fn leader_settings(&self) -> BTreeMap<String, String> {
        self.host.borrow().leader_settings.clone()
    }

    /// Has another unit, the leader, tell something; runs `leader-settings-changed`.
    pub fn change_leader_settings(&mut self, settings: &[(&str, &str)]) -> Result<Outcome> {
        let host = self.host.get_mut();
        host.leader = false;
        host.leader_settings = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        self.run(Hook::LeaderSettingsChanged)
    }

    /// What `goal_state` answers; empty without this.
    pub fn set_goal_state(&mut self, goals: GoalState) -> &mut Self {
        self.host.get_mut().goal_state = goals;
        self
    }

    /// What `network` answers for a binding; the charm's endpoints have 127.0.0.1 without this.
    pub fn set_network(&mut self, binding: &str, network: Network) -> &mut Self {
        let networks = &mut self.host.get_mut().networks;
        networks.insert(binding.to_owned(), network);
        self
    }
}

/// Shared directories.
impl<C: Charm> Harness<C> {
    /// Gives the unit the shared directory `name`, as its `capabilities.yaml` would, and says
    /// where it is, so that a test can play the others who share it. Whether it is read-only is
    /// the sandbox's to keep, not the harness's.
    ///
    /// # Panics
    /// Where it cannot be made, and where the charm's files share none of this name.
    pub fn add_shared(&mut self, name: &str) -> PathBuf {
        self.require_shared(name);
        let path = self.dirs.shared.join(name);
        files::empty(&path);
        path
    }
}

/// Resources.
impl<C: Charm> Harness<C> {
    /// Attaches a file, as an operator does with `attach-resource`, without a hook: run
    /// [`Hook::UpgradeCharm`] to have the charm hear of it. A later one takes its place.
    ///
    /// # Panics
    /// Where it cannot be written, and where the charm's files declare none of this name.
    pub fn set_resource(&mut self, name: &str, content: impl AsRef<[u8]>) -> &mut Self {
        self.require_resource(name);
        let path = self.folder.sub("resources").join(name).join(name);
        files::write(&path, content.as_ref());
        self.host.get_mut().resources.insert(name.to_owned(), path);
        self
    }

    /// Takes a resource away, so that it is as one which nobody attached.
    pub fn remove_resource(&mut self, name: &str) -> &mut Self {
        self.host.get_mut().resources.remove(name);
        self
    }
}

/// A test that uses the harness wrongly cannot go on.
#[allow(clippy::panic)]
pub(super) fn must<T, E: std::fmt::Debug>(result: Result<T, E>, what: &str) -> T {
    result.unwrap_or_else(|error| panic!("{what}: {error:?}"))
}
