//! Several units of several applications, their relations and their clock: a model, without a controller.
//!
//! It runs the hooks that a controller would have units run, one after another and always in the same
//! order, until there is nothing left to do; what a hook published, granted or told its peers reaches the
//! others after it was committed. Units differ in nothing from a [`Harness`], which each of them is.
//!
//! ```ignore
//! let mut model = Model::new();
//! model.deploy::<Database>("db", 1)?;
//! model.deploy::<Blog>("blog", 2)?;
//! model.integrate("blog:database", "db")?;
//! assert_eq!(model.status("blog/1"), Status::active("writes to db/0"));
//! model.remove_unit("db/0")?;
//! model.advance(Duration::from_secs(600))?;
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::SystemTime;

use periapt_contract::secret::SecretId;
use periapt_declared::{Declared, suggestion};
use serde_json::Value as Json;

use super::declared::wrong;
use super::{Answer, Harness, Outcome};
use crate::{Charm, Error, Hook, RelationData, Result, Status, Value};

mod flow;
mod hooks;
mod relations;
mod secrets;
#[cfg(test)]
mod tests;
mod time;
mod unit;

use hooks::Due;
use relations::Integration;
use secrets::HeldSecret;
use unit::AnyUnit;

/// Hooks that one change may lead to. More are units that answer one another without end.
const HOOKS: usize = 10_000;

/// Applications, their units, and what is between them. See the [module](self).
///
/// # Panics
/// All methods panic where a test names what is not there, or what the charm does not declare.
///
/// # Errors
/// A method whose change has hooks run returns what the first hook that failed returned, with the names of unit and
/// hook. The unit and all others stay where they are: [`Model::settle`] runs the hook again and goes on, as
/// a controller does.
pub struct Model {
    applications: BTreeMap<String, Application>,
    units: BTreeMap<String, Box<dyn AnyUnit>>,
    relations: BTreeMap<u64, Integration>,
    next_relation: u64,
    secrets: BTreeMap<SecretId, HeldSecret>,
    made_secrets: u64,
    /// What is to run, in order.
    due: VecDeque<(String, Due)>,
    now: SystemTime,
    /// When each unit's `update-status` is due.
    updates: BTreeMap<String, SystemTime>,
}

struct Application {
    make: fn() -> Box<dyn AnyUnit>,
    declared: Declared,
    config: BTreeMap<String, Value>,
    leader: Option<String>,
    settings: BTreeMap<String, String>,
    status: Status,
    next_unit: u32,
    units: BTreeSet<u32>,
    /// Principals of the units of a subordinate, by unit.
    principals: BTreeMap<String, String>,
}

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// A model without applications, whose clock stands at the time of now.
    pub fn new() -> Self {
        Self {
            applications: BTreeMap::new(),
            units: BTreeMap::new(),
            relations: BTreeMap::new(),
            next_relation: 0,
            secrets: BTreeMap::new(),
            made_secrets: 0,
            due: VecDeque::new(),
            now: SystemTime::now(),
            updates: BTreeMap::new(),
        }
    }

    /// Deploys a charm with so many units; a subordinate has none, its units come with relations. The
    /// charm's `impl` needs `#[charm]`, so that its files are known.
    pub fn deploy<C: Charm>(&mut self, application: &str, units: u32) -> Result<()> {
        let Some(declared) = Harness::<C>::declaration() else {
            wrong(
                "put #[periapt_charm::charm] on the `impl Charm`: a model needs the charm's files",
            );
        };
        if self.applications.contains_key(application) {
            wrong(&format!(
                "there is an application \"{application}\" already"
            ));
        }
        if declared.subordinate && units > 0 {
            wrong("a subordinate has no units of its own: deploy 0, and integrate it");
        }
        let make: fn() -> Box<dyn AnyUnit> = || Box::new(Harness::<C>::new());
        let config = make().host().config.clone();
        let peers = declared.endpoints.iter();
        let peers = peers.filter(|(_, endpoint)| endpoint.role == periapt_declared::Role::Peers);
        let peers: Vec<String> = peers.map(|(name, _)| name.clone()).collect();
        let application_ = Application {
            make,
            declared,
            config,
            leader: None,
            settings: BTreeMap::new(),
            status: Status::new(crate::StatusKind::Unknown, ""),
            next_unit: 0,
            units: BTreeSet::new(),
            principals: BTreeMap::new(),
        };
        self.applications
            .insert(application.to_owned(), application_);
        for endpoint in peers {
            self.add_integration(Integration::peers(application, &endpoint));
        }
        for _ in 0..units {
            self.begin_unit(application, None);
        }
        self.settle()
    }

    /// Adds a unit; says its name.
    pub fn add_unit(&mut self, application: &str) -> Result<String> {
        if self.application(application).declared.subordinate {
            wrong("a subordinate has no units of its own: integrate it with an application");
        }
        let unit = self.begin_unit(application, None);
        self.settle()?;
        Ok(unit)
    }

    /// Takes a unit away: it leaves its relations, and the others see it go. Its subordinates go with it, and if
    /// it led, another one leads.
    pub fn remove_unit(&mut self, unit: &str) -> Result<()> {
        self.require_unit(unit);
        self.end_unit(unit);
        self.settle()
    }

    /// Relates two applications, each as `NAME:ENDPOINT`, or as `NAME` where only one pair of endpoints fits.
    /// Says the number of the relation.
    pub fn integrate(&mut self, one: &str, other: &str) -> Result<u64> {
        let integration = self.fitting(one, other);
        let number = self.add_integration(integration);
        self.enter_all(number);
        self.settle()?;
        Ok(number)
    }

    /// Ends a relation.
    pub fn remove_relation(&mut self, relation: u64) -> Result<()> {
        self.require_relation(relation);
        self.end_relation(relation);
        self.settle()
    }

    /// Sets an option as an operator would.
    pub fn set_config(
        &mut self,
        application: &str,
        key: &str,
        value: impl Into<Value>,
    ) -> Result<()> {
        let make = self.application(application).make;
        let value = make().fitted(key, value.into());
        let config = &mut self.application_mut(application).config;
        if config.insert(key.to_owned(), value.clone()) != Some(value) {
            for unit in self.units(application) {
                self.then(&unit, Due::Hook(Hook::ConfigChanged));
            }
        }
        self.settle()
    }

    /// Makes a unit the leader of its application.
    pub fn elect(&mut self, unit: &str) -> Result<()> {
        self.require_unit(unit);
        self.lead(unit);
        self.settle()
    }

    /// Runs a hook of a unit itself, as `update-status`, and all that follows of it.
    pub fn run(&mut self, unit: &str, hook: Hook) -> Result<()> {
        self.require_unit(unit);
        self.then(unit, Due::Hook(hook));
        self.settle()
    }

    /// Runs an action; see [`Harness::run_action`].
    pub fn run_action(&mut self, unit: &str, name: &str, parameters: Json) -> Result<Answer> {
        self.require_unit(unit);
        let answer = self.on(unit, |charm| charm.run_action(name, parameters))?;
        self.settle()?;
        Ok(answer)
    }

    /// Runs a command; see [`Harness::run_command`].
    pub fn run_command(&mut self, unit: &str, name: &str, arguments: &[&str]) -> Result<Answer> {
        self.require_unit(unit);
        let answer = self.on(unit, |charm| charm.run_command(name, arguments))?;
        self.settle()?;
        Ok(answer)
    }

    /// Runs what is due, beginning with a hook that failed, until nothing is.
    pub fn settle(&mut self) -> Result<()> {
        let mut left = HOOKS;
        while let Some((unit, due)) = self.due.pop_front() {
            if !self.units.contains_key(&unit) {
                continue;
            }
            left = left.saturating_sub(1);
            if left == 0 {
                wrong(&format!(
                    "{HOOKS} hooks ran, and {unit} is to run one more: units answer one another without end"
                ));
            }
            if let Err(error) = self.carry_out(&unit, &due) {
                let text = format!("{unit}: {}: {error}", self.words(&due));
                self.due.push_front((unit, due));
                return Err(Error::Failed(text));
            }
        }
        Ok(())
    }

    /// The units of an application, in order.
    pub fn units(&self, application: &str) -> Vec<String> {
        let numbers = self.application(application).units.iter();
        numbers
            .map(|number| format!("{application}/{number}"))
            .collect()
    }

    /// The unit that leads an application.
    pub fn leader(&self, application: &str) -> Option<String> {
        self.application(application).leader.clone()
    }

    /// The unit's status.
    pub fn status(&self, unit: &str) -> Status {
        self.require_unit(unit).seen().unit_status.clone()
    }

    /// The status that the leader gave its application.
    pub fn application_status(&self, application: &str) -> Status {
        self.application(application).status.clone()
    }

    /// What the leader told the units of its application.
    pub fn leader_settings(&self, application: &str) -> BTreeMap<String, String> {
        self.application(application).settings.clone()
    }

    /// What a member of a relation, a unit or an application, published as text.
    pub fn settings(&self, relation: u64, member: &str) -> BTreeMap<String, String> {
        let bags = &self.require_relation(relation).bags;
        bags.get(member).cloned().unwrap_or_default()
    }

    /// What a member of a relation published. None where it published nothing of `T`.
    pub fn data<T: RelationData>(&self, relation: u64, member: &str) -> Option<T> {
        super::must(
            crate::relation::data::read(&self.settings(relation, member)),
            "the data does not fit",
        )
    }

    /// The number of the relation of an application's peers at one of its endpoints.
    pub fn peer_relation(&self, application: &str, endpoint: &str) -> u64 {
        let found = self.relations.iter();
        let mut found = found.filter(|(_, relation)| relation.is_peers_of(application, endpoint));
        match found.next() {
            Some((number, _)) => *number,
            None => wrong(&format!("\"{application}\" has no peers at \"{endpoint}\"")),
        }
    }

    /// One unit, with all that a [`Harness`] tells of it.
    pub fn unit<C: Charm>(&self, name: &str) -> &Harness<C> {
        match self.require_unit(name).as_any().downcast_ref() {
            Some(unit) => unit,
            None => wrong(&format!("{name} runs another charm")),
        }
    }

    /// One unit, to give it what only it has: files, resources, what is seen of its services. What is between
    /// units is the model's.
    pub fn unit_mut<C: Charm>(&mut self, name: &str) -> &mut Harness<C> {
        self.require_unit(name);
        let unit = self.units.get_mut(name);
        match unit.and_then(|unit| unit.as_any_mut().downcast_mut()) {
            Some(unit) => unit,
            None => wrong(&format!("{name} runs another charm")),
        }
    }

    fn application(&self, name: &str) -> &Application {
        self.applications.get(name).unwrap_or_else(|| {
            let known = self.applications.keys().map(String::as_str);
            wrong(&format!(
                "there is no application \"{name}\"{}",
                suggestion(name, known)
            ))
        })
    }

    fn application_mut(&mut self, name: &str) -> &mut Application {
        self.application(name);
        match self.applications.get_mut(name) {
            Some(application) => application,
            None => wrong("there is no such application"),
        }
    }

    fn require_unit(&self, name: &str) -> &dyn AnyUnit {
        match self.units.get(name) {
            Some(unit) => unit.as_ref(),
            None => {
                let known = self.units.keys().map(String::as_str);
                wrong(&format!(
                    "there is no unit \"{name}\"{}",
                    suggestion(name, known)
                ))
            }
        }
    }

    fn require_relation(&self, number: u64) -> &Integration {
        match self.relations.get(&number) {
            Some(relation) => relation,
            None => wrong(&format!("there is no relation {number}")),
        }
    }
}

impl Outcome {
    /// Whether a hook that asked for a reboot is to be run again.
    fn is_unfinished(self) -> bool {
        self == Outcome::Rebooted
    }
}
