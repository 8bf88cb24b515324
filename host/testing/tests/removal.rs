//! Removal always ends: things are removed in random order at random moments, with units in
//! error and agents dead, and in the end nothing is left.
//!
//! Each story is made from a seed, which a failure prints; `PERIAPT_TEST_SEED` tells one again.

mod common;

use std::time::Duration;

use common::{Done, charm};
use periapt_testing::{Scenario, ScenarioError};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};

/// Hooks that fail, for ever or once, or not at all.
const SCRIPTS: &[&str] = &[
    "start: status active ready",
    "start: status active ready\nstop: fail",
    "config-changed: fail",
    "upstream-relation-joined: fail",
    "upstream-relation-broken: fail 1\nstart: status active ready",
    "remove: fail\nstart: status active ready",
];

struct Story {
    scenario: Scenario,
    random: StdRng,
    told: Vec<String>,
}

impl Story {
    fn tell(&mut self, line: String) {
        self.told.push(line);
    }

    /// What was refused is part of the story: removing what is gone, or goes already.
    fn note<T>(&mut self, what: &str, result: Result<T, ScenarioError>) {
        let how = match result {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string(),
        };
        self.tell(format!("{what}: {how}"));
    }

    async fn begin(seed: u64) -> Result<Self, ScenarioError> {
        let mut story = Self {
            scenario: Scenario::start().await?,
            random: StdRng::seed_from_u64(seed),
            told: Vec::new(),
        };
        for name in ["one", "two"] {
            let script = *SCRIPTS.choose(&mut story.random).unwrap_or(&SCRIPTS[0]);
            let units = story.random.random_range(1..3);
            let deployed = story
                .scenario
                .deploy_with(charm("probe"), name, units, &[("script", script)])
                .await;
            story.note(&format!("deploy {name} with {units}: {script:?}"), deployed);
        }
        let script = *SCRIPTS.choose(&mut story.random).unwrap_or(&SCRIPTS[0]);
        let deployed = story
            .scenario
            .deploy_with(
                charm("probe-subordinate"),
                "aside",
                0,
                &[("script", script)],
            )
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

    async fn step(&mut self) -> Result<(), ScenarioError> {
        let status = self.scenario.status().await?;
        let units: Vec<String> = status
            .applications
            .values()
            .flat_map(|application| application.units.iter().flatten())
            .flat_map(|(name, unit)| {
                let beside = unit.subordinates.iter().flatten();
                std::iter::once(name.clone()).chain(beside.map(|(name, _)| name.clone()))
            })
            .collect();
        let applications: Vec<String> = status.applications.keys().cloned().collect();
        let machines: Vec<String> = status.machines.keys().cloned().collect();
        let relations: Vec<u64> = status
            .relations
            .iter()
            .map(|relation| relation.id)
            .collect();
        let force = self.random.random_bool(0.4);
        match self.random.random_range(0..8) {
            0 => {
                if let Some(unit) = units.choose(&mut self.random) {
                    let done = self.scenario.remove_unit(unit, force).await;
                    self.note(&format!("remove-unit {unit} force={force}"), done);
                }
            }
            1 => {
                if let Some(name) = applications.choose(&mut self.random) {
                    let done = self.scenario.remove_application(name, force).await;
                    self.note(&format!("remove-application {name} force={force}"), done);
                }
            }
            2 => {
                if let Some(relation) = relations.choose(&mut self.random) {
                    let done = self.scenario.remove_relation(*relation, force).await;
                    self.note(&format!("remove-relation {relation} force={force}"), done);
                }
            }
            3 => {
                if let Some(machine) = machines.choose(&mut self.random)
                    && let Ok(machine) = machine.parse()
                {
                    let client = self.scenario.client();
                    let done = client.remove_machine("test", &machine, force, None).await;
                    let done = done.map_err(|error| error.to_string());
                    self.tell(format!("remove-machine {machine} force={force}: {done:?}"));
                }
            }
            4 => {
                self.scenario.restart_agents().await;
                self.tell("the agents die".to_owned());
            }
            5 => {
                if let Some(unit) = units.choose(&mut self.random) {
                    let retry = self.random.random_bool(0.5);
                    let done = self.scenario.resolved(unit, retry).await;
                    self.note(&format!("resolved {unit} retry={retry}"), done);
                }
            }
            6 => {
                let seconds = self.random.random_range(1..90);
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

    /// Whatever is left is removed by force, which has to end.
    async fn end(&mut self) -> Result<(), ScenarioError> {
        for name in ["one", "two", "aside"] {
            let done = self.scenario.remove_application(name, true).await;
            self.note(&format!("remove-application {name} force=true"), done);
        }
        let status = self.scenario.status().await?;
        let machines: Vec<String> = status.machines.keys().cloned().collect();
        for machine in machines {
            if let Ok(id) = machine.parse() {
                let client = self.scenario.client();
                let done = client.remove_machine("test", &id, true, None).await;
                let done = done.map_err(|error| error.to_string());
                self.tell(format!("remove-machine {machine} force=true: {done:?}"));
            }
        }
        self.scenario
            .until("nothing to be left", |status| {
                status.applications.is_empty()
                    && status.machines.is_empty()
                    && status.relations.is_empty()
            })
            .await?;
        let agent = self.scenario.agent_directory().await?;
        for folder in ["units", "containers"] {
            let entries = std::fs::read_dir(agent.join(folder));
            let left: Vec<_> = entries.into_iter().flatten().flatten().collect();
            if !left.is_empty() {
                let left: Vec<_> = left.iter().map(std::fs::DirEntry::path).collect();
                return Err(ScenarioError::Never {
                    what: "nothing to be left on disk".to_owned(),
                    model: format!("{left:?}"),
                });
            }
        }
        Ok(())
    }
}

async fn tell(seed: u64) -> Result<(), String> {
    let failed = |told: &[String], error: ScenarioError| {
        format!("seed {seed}\n{}\n{error}", told.join("\n"))
    };
    let mut story = Story::begin(seed)
        .await
        .map_err(|error| failed(&[], error))?;
    let steps = story.random.random_range(3..12);
    for _ in 0..steps {
        let pause = story.random.random_range(0..60);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let taken = story.step().await;
        taken.map_err(|error| failed(&story.told, error))?;
    }
    let ended = story.end().await;
    ended.map_err(|error| failed(&story.told, error))?;
    let Story { scenario, told, .. } = story;
    scenario.stop().await.map_err(|error| failed(&told, error))
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_removed_whenever_nothing_is_left() -> Done {
    let seeds = match std::env::var("PERIAPT_TEST_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (0..12).collect::<Vec<u64>>(),
    };
    for seed in seeds {
        if let Err(story) = tell(seed).await {
            panic!("{story}");
        }
    }
    Ok(())
}
