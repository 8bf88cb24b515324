//! One story: a model, what happens to it, and its end.

use std::time::Duration;

use periapt_client::rest::{Removing, RestError};
use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_testing::{Scenario, ScenarioError};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

use super::left::{self, KEEPER};
use crate::common::charm;

mod belongings;

const MODEL: &str = "test";
/// Short, so that a story passes it often, and longer than any step before it.
const DEADLINE: &str = "removal-deadline=90s";
const SHORT_WAIT: &str = "force-wait=5s";

/// Hooks that fail, for ever or once, or not at all.
const SCRIPTS: &[&str] = &[
    "start: status active ready",
    "start: status active ready\nstop: fail",
    "config-changed: fail",
    "upstream-relation-joined: fail",
    "upstream-relation-broken: fail 1\nstart: status active ready",
    "remove: fail\nstart: status active ready",
];
const OTHERS: [&str; 3] = ["one", "two", "aside"];

/// How something is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Unforced,
    Forced,
    AtOnce,
}

impl How {
    const ALL: [How; 5] = [
        How::Unforced,
        How::Unforced,
        How::Unforced,
        How::Forced,
        How::AtOnce,
    ];

    fn force(self) -> bool {
        self != How::Unforced
    }

    fn timeout(self) -> Option<u64> {
        (self == How::AtOnce).then_some(0)
    }
}

enum What {
    Unit(UnitName),
    Application(ApplicationName),
    Relation(u64),
    Machine(MachineId),
}

pub struct Story {
    pub scenario: Scenario,
    pub random: StdRng,
    pub told: Vec<String>,
}

impl Story {
    fn tell(&mut self, line: String) {
        self.told.push(line);
    }

    /// What was refused is part of the story: removing what is gone, or goes already.
    fn note<T, E: std::fmt::Display>(&mut self, what: &str, result: Result<T, E>) {
        let how = match result {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        self.tell(format!("{what}: {how}"));
    }

    fn any<T: Clone>(&mut self, all: &[T]) -> Option<T> {
        all.choose(&mut self.random).cloned()
    }

    pub async fn begin(seed: u64) -> Result<Self, ScenarioError> {
        let mut story = Self {
            scenario: Scenario::start().await?,
            random: StdRng::seed_from_u64(seed),
            told: Vec::new(),
        };
        let options =
            [DEADLINE, SHORT_WAIT].map(|option| option.split_once('=').unwrap_or_default());
        story.scenario.set_model_config(&options).await?;
        let kept = [("script", SCRIPTS[0])];
        let storage = [("data", "1")];
        let scenario = &story.scenario;
        let deployed = scenario.deploy_with_storage(charm("probe"), KEEPER, 1, &kept, &storage);
        deployed.await?;
        scenario.until_active(KEEPER).await?;
        story.provide_keeper().await?;
        for name in ["one", "two"] {
            let script = story.any(SCRIPTS).unwrap_or(SCRIPTS[0]);
            let units = story.random.random_range(1..3);
            let storage = story.storage_of_new();
            let asked: Vec<_> = storage.map(|asked| ("data", asked)).into_iter().collect();
            let script_of = [("script", script)];
            let deployed = story
                .scenario
                .deploy_with_storage(charm("probe"), name, units, &script_of, &asked)
                .await;
            let what = format!("deploy {name} with {units}, storage {storage:?}: {script:?}");
            story.note(&what, deployed);
        }
        let script = story.any(SCRIPTS).unwrap_or(SCRIPTS[0]);
        let charm = charm("probe-subordinate");
        let deployed = story
            .scenario
            .deploy_with(charm, "aside", 0, &[("script", script)])
            .await;
        story.note(&format!("deploy aside: {script:?}"), deployed);
        for (one, other) in [
            ("one:upstream", "two:downstream"),
            ("aside:host", "one:juju-info"),
            ("aside:host", "two:juju-info"),
        ] {
            let made = story.scenario.integrate(one, other).await;
            story.note(&format!("integrate {one} {other}"), made);
        }
        Ok(story)
    }

    async fn remove(&mut self, what: &What, how: How) {
        let client = self.scenario.client().clone();
        let (force, timeout) = (how.force(), how.timeout());
        let removing = Removing {
            destroy_storage: self.any(&[None, Some(false), Some(true)]).flatten(),
            ..Removing::within(force, timeout)
        };
        let (name, done): (String, Result<_, RestError>) = match what {
            What::Unit(unit) => (
                format!("unit {unit}"),
                client.remove_unit(MODEL, unit, removing).await,
            ),
            What::Application(name) => (
                format!("application {name}"),
                client.remove_application(MODEL, name, removing).await,
            ),
            What::Relation(id) => (
                format!("relation {id}"),
                client.remove_relation(MODEL, *id, force, timeout).await,
            ),
            What::Machine(id) => (
                format!("machine {id}"),
                client.remove_machine(MODEL, id, removing).await,
            ),
        };
        let destroys = removing.destroy_storage == Some(true);
        self.note(
            &format!("remove {name} {how:?} with storage={destroys}"),
            done,
        );
    }

    /// Something that is there, but the keeper and what it lives on.
    async fn choose(&mut self) -> Result<Option<What>, ScenarioError> {
        let status = self.scenario.status().await?;
        let keeps = |unit: &str| unit.starts_with(KEEPER);
        let units = status
            .applications
            .values()
            .flat_map(|application| application.units.iter().flatten());
        let (mut all, mut kept) = (Vec::new(), Vec::new());
        for (name, unit) in units {
            if keeps(name) {
                kept.push(unit.machine.clone());
                continue;
            }
            let beside = unit.subordinates.iter().flatten();
            all.push(name.clone());
            all.extend(beside.map(|(name, _)| name.clone()));
        }
        let ids: Vec<u64> = status
            .relations
            .iter()
            .map(|relation| relation.id)
            .collect();
        let machines: Vec<String> = status.machines.keys().cloned().collect();
        let machines: Vec<String> = machines
            .into_iter()
            .filter(|id| !kept.contains(id))
            .collect();
        Ok(match self.random.random_range(0..4) {
            0 => self
                .any(&all)
                .and_then(|unit| unit.parse().ok())
                .map(What::Unit),
            1 => self
                .any(&OTHERS)
                .and_then(|name| name.parse().ok())
                .map(What::Application),
            2 => self.any(&ids).map(What::Relation),
            _ => self
                .any(&machines)
                .and_then(|id| id.parse().ok())
                .map(What::Machine),
        })
    }

    pub async fn step(&mut self) -> Result<(), ScenarioError> {
        match self.random.random_range(0..14) {
            10 | 11 => self.step_of_storage().await?,
            12 | 13 => self.step_of_secrets().await?,
            0..=4 => {
                let how = self.any(&How::ALL).unwrap_or(How::Unforced);
                if let Some(what) = self.choose().await? {
                    self.remove(&what, how).await;
                }
            }
            5 => {
                self.scenario.stop_agents().await;
                self.tell("the agents die".to_owned());
            }
            6 => {
                self.scenario.start_agents().await?;
                self.tell("the agents come back".to_owned());
            }
            7 => {
                if let Some(What::Unit(unit)) = self.choose().await? {
                    let retry = self.random.random_bool(0.5);
                    let done = self.scenario.resolved(unit.as_str(), retry).await;
                    self.note(&format!("resolved {unit} retry={retry}"), done);
                }
            }
            8 => {
                let seconds = self.random.random_range(1..40);
                self.scenario.pass(Duration::from_secs(seconds)).await?;
                self.tell(format!("{seconds} s pass"));
            }
            _ => {
                let done = self.scenario.add_units("one", 1).await;
                self.note("add a unit to one", done);
            }
        }
        Ok(())
    }

    /// Everything but the keeper is removed, in any way, and goes; so does, in the end, the model.
    pub async fn end(&mut self) -> Result<(), ScenarioError> {
        let model = self.scenario.client().model(MODEL).await;
        let model = model.map_err(|source| ScenarioError::Refused {
            doing: "reading the model".to_owned(),
            source: Box::new(source),
        })?;
        let uuid = model.uuid.to_string();
        for name in OTHERS {
            let how = self.any(&How::ALL).unwrap_or(How::Unforced);
            if let Ok(name) = name.parse() {
                self.remove(&What::Application(name), how).await;
            }
        }
        match self.random.random_bool(0.5) {
            true => self.scenario.stop_agents().await,
            false => self.scenario.start_agents().await?,
        }
        let alone = |status: &periapt_wire::status::FullStatus| {
            status.applications.keys().all(|name| name == KEEPER) && status.machines.len() <= 1
        };
        self.scenario
            .until("only the keeper to be left", alone)
            .await?;
        self.scenario.start_agents().await?;
        self.remove_storage_left().await?;
        let agent = self.scenario.agent_directory().await?;
        let gone = self.scenario.until_true("nothing to be left on disk", || {
            let left = left::on_disk(&agent);
            async move { Ok(left.is_empty()) }
        });
        if gone.await.is_err() {
            return Err(left::error("on disk", left::on_disk(&agent)));
        }
        // A leadership claimed while its unit was taken away goes when its time is over.
        let gone = self
            .scenario
            .until_true("nothing to be left in the store", || {
                let rows = left::in_store(&self.scenario, &uuid);
                async move { Ok(rows.is_ok_and(|rows| rows.is_empty())) }
            });
        if gone.await.is_err() {
            return Err(left::error(
                "in the store",
                left::in_store(&self.scenario, &uuid),
            ));
        }
        // The keeper is as it was.
        self.scenario.until_active(KEEPER).await?;
        if !agent.join("units").join(format!("{KEEPER}-0")).is_dir() {
            return Err(left::error("but the keeper's directory", &agent));
        }
        self.look_at_keeper().await?;
        self.end_of_model(&uuid, &agent).await
    }

    async fn end_of_model(
        &mut self,
        uuid: &str,
        agent: &std::path::Path,
    ) -> Result<(), ScenarioError> {
        if self.random.random_bool(0.5) {
            self.scenario.stop_agents().await;
            self.tell("the agents die".to_owned());
        }
        let how = self.any(&How::ALL).unwrap_or(How::Unforced);
        self.destroy_model(how).await?;
        let client = self.scenario.client().clone();
        let gone = self.scenario.until_true("the model to be gone", || {
            let (client, uuid) = (client.clone(), uuid.to_owned());
            async move {
                let found = client.model(&uuid).await;
                Ok(found.is_err_and(|error| error.status() == Some(404)))
            }
        });
        gone.await?;
        match left::of_model(&self.scenario, uuid) {
            Ok(tables) if tables.is_empty() => {}
            tables => return Err(left::error("of the model", tables)),
        }
        match agent.exists() {
            false => Ok(()),
            true => Err(left::error("on disk", agent)),
        }
    }
}
