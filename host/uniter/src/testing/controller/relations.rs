//! Relations of the controller in memory: who is in scope, settings and their versions.

use std::collections::BTreeMap;

use periapt_contract::settings::Settings;
use periapt_model::relation::RemoteRelation;
use periapt_model::uniter::RemoteState;
use periapt_model::{ApplicationName, Life, Tag, UnitName};
use periapt_wire::CallError;
use periapt_wire::agent::uniter::{GoalState, GoalStatus};
use periapt_wire::rpc::code;

use super::tasks::due;
use super::{Controller, Inner, refused};

/// Settings with the version that tells of a change.
#[derive(Clone, Debug, Default)]
pub struct Bag {
    pub settings: Settings,
    pub version: u64,
}

impl Bag {
    /// What a test says by hand is never too much.
    fn say(&mut self, key: &str, value: &str) {
        let before = self.settings.insert(key.to_owned(), value.to_owned());
        self.version += u64::from(before.as_deref() != Some(value));
    }
}

/// A relation between two endpoints, or of one endpoint with itself.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Application and endpoint of each side; a peer relation has one.
    pub ends: Vec<(ApplicationName, String)>,
    pub life: Life,
    pub suspended: bool,
    /// Units in scope.
    pub scope: Vec<UnitName>,
    /// Settings outlive who left.
    pub units: BTreeMap<UnitName, Bag>,
    pub applications: BTreeMap<ApplicationName, Bag>,
}

impl Relation {
    pub fn new(ends: &[(&str, &str)]) -> Self {
        let end = |(application, endpoint): &(&str, &str)| {
            let application = application.parse().ok()?;
            Some((application, (*endpoint).to_owned()))
        };
        Self {
            ends: ends.iter().filter_map(end).collect(),
            life: Life::Alive,
            suspended: false,
            scope: Vec::new(),
            units: BTreeMap::new(),
            applications: BTreeMap::new(),
        }
    }

    /// Puts a unit in scope, with settings of its own.
    pub fn enter(&mut self, unit: &UnitName, settings: &[(&str, &str)]) {
        if self.scope.contains(unit) {
            return;
        }
        self.scope.push(unit.clone());
        let bag = self.units.entry(unit.clone()).or_default();
        let fresh = settings.iter();
        bag.settings = fresh
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        bag.version += 1;
    }

    pub fn leave(&mut self, unit: &UnitName) {
        self.scope.retain(|member| member != unit);
    }

    pub fn set(&mut self, unit: &UnitName, key: &str, value: &str) {
        self.units.entry(unit.clone()).or_default().say(key, value);
    }

    pub fn set_application(&mut self, application: &str, key: &str, value: &str) {
        if let Ok(application) = application.parse() {
            self.applications
                .entry(application)
                .or_default()
                .say(key, value);
        }
    }

    /// Whether it is one of the unit's application.
    pub(super) fn has(&self, unit: &UnitName) -> bool {
        self.own(unit).is_some()
    }

    fn own(&self, unit: &UnitName) -> Option<&(ApplicationName, String)> {
        let own = unit.application();
        self.ends
            .iter()
            .find(|(application, _)| *application == own)
    }

    fn other(&self, unit: &UnitName) -> Option<&ApplicationName> {
        let own = unit.application();
        let other = self
            .ends
            .iter()
            .find(|(application, _)| *application != own);
        other
            .or(self.ends.first())
            .map(|(application, _)| application)
    }

    fn seen_by(&self, unit: &UnitName) -> Option<RemoteRelation> {
        let (_, endpoint) = self.own(unit)?;
        let other = self.other(unit)?;
        let members = self.scope.iter();
        let members = members.filter(|member| *member != unit && member.application() == *other);
        let version = |member: &UnitName| self.units.get(member).map_or(0, |bag| bag.version);
        let settings = self.applications.get(other).map_or(0, |bag| bag.version);
        Some(RemoteRelation {
            endpoint: endpoint.clone(),
            remote_application: other.clone(),
            life: self.life,
            suspended: self.suspended,
            peer: self.ends.len() == 1,
            members: members
                .map(|member| (member.clone(), version(member)))
                .collect(),
            applications: BTreeMap::from([(other.clone(), settings)]),
        })
    }
}

impl Controller {
    /// Changes a relation, makes or removes it, as others would, and wakes all units.
    pub fn relation(&self, id: u64, change: impl FnOnce(&mut Option<Relation>)) {
        {
            let mut inner = self.lock();
            let mut relation = inner.relations.remove(&id);
            change(&mut relation);
            inner
                .relations
                .extend(relation.map(|relation| (id, relation)));
        }
        self.touch_units();
    }

    /// What is known of a relation; none when it is gone.
    pub fn related(&self, id: u64) -> Option<Relation> {
        self.lock().relations.get(&id).cloned()
    }

    /// What the leader of an application told its units.
    pub fn leader_settings(&self, application: &str) -> BTreeMap<String, String> {
        let known = self.lock().leader_settings.get(application).cloned();
        known.unwrap_or_default().settings
    }

    /// Whether the unit has to wait before it can enter a relation.
    pub fn set_not_yet(&self, unit: &UnitName, not_yet: bool) {
        {
            let mut inner = self.lock();
            match not_yet {
                true => inner.not_yet.insert(unit.clone()),
                false => inner.not_yet.remove(unit),
            };
        }
        self.touch_units();
    }

    fn touch_units(&self) {
        let units: Vec<String> = self
            .lock()
            .units
            .keys()
            .map(|unit| format!("unit:{unit}"))
            .collect();
        self.touch(&units);
    }
}

impl Inner {
    /// What the controller says of a unit, relations and leader settings filled in.
    pub(super) fn remote_state(&self, unit: &UnitName) -> Option<RemoteState> {
        let record = self.units.get(unit)?;
        let relations = self.relations.iter();
        let relations = relations
            .filter_map(|(id, relation)| Some((*id, relation.seen_by(unit)?)))
            .filter(|(id, seen)| seen.life == Life::Alive || self.in_scope(*id, unit))
            .collect();
        let told = self.leader_settings.get(unit.application().as_str());
        let reboots = self.reboots.get(&record.machine).copied();
        let reboots = reboots.unwrap_or_default();
        Some(RemoteState {
            reboots: reboots.count,
            reboot_wanted: reboots.wanted,
            relations,
            leader_settings_version: told.map_or(0, |bag| bag.version),
            task: due(&record.tasks),
            secrets: self.due_secrets(unit),
            ..record.remote.clone()
        })
    }

    fn in_scope(&self, relation: u64, unit: &UnitName) -> bool {
        let relation = self.relations.get(&relation);
        relation.is_some_and(|relation| relation.scope.contains(unit))
    }

    pub(super) fn settings(
        &self,
        id: u64,
        of: &Tag,
    ) -> Result<BTreeMap<String, String>, CallError> {
        let missing = || refused(code::NOT_FOUND, "settings");
        let relation = self.relations.get(&id).ok_or_else(missing)?;
        match of {
            Tag::Unit(unit) => relation.units.get(unit).ok_or_else(missing),
            Tag::Application(name) => {
                let bag = relation.applications.get(name);
                return Ok(bag.cloned().unwrap_or_default().settings);
            }
            _ => Err(missing()),
        }
        .map(|bag| bag.settings.clone())
    }

    pub(super) fn goals(&self, unit: &UnitName) -> GoalState {
        let goal = || GoalStatus {
            status: "active".to_owned(),
            since: 1_700_000_000_000_000,
        };
        let own = unit.application();
        let units = self.units.keys();
        let units = units.filter(|other| other.application() == own);
        let mut goals = GoalState {
            units: units.map(|unit| (unit.to_string(), goal())).collect(),
            ..GoalState::default()
        };
        for relation in self.relations.values() {
            if let (Some((_, endpoint)), Some(other)) = (relation.own(unit), relation.other(unit)) {
                let there = goals.relations.entry(endpoint.clone()).or_default();
                there.insert(other.to_string(), goal());
            }
        }
        goals
    }
}
