//! Charms that ask for more of something than there may be: refused in the hook, or cut back, while
//! other models go on.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, PATIENCE, charm};
use serde_json::Value;

/// A home whose hooks have time, and another model that is asked for a change again and again.
struct House {
    home: Home,
}

/// How long any change may take while a charm floods: far more than one takes, far less than a flood.
const PROMPT: Duration = Duration::from_secs(15);

impl House {
    fn new() -> Result<Self> {
        let home = Home::started()?;
        home.ok(["model-config", "automatically-retry-hooks=false"])?;
        home.ok(["deploy", &charm("site").display().to_string(), "neighbour"])?;
        home.until_workload("neighbour/0", "active")?;
        home.ok(["add-model", "other", "--no-switch"])?;
        Ok(Self { home })
    }

    /// Deploys the probe with a script from a file, which may be long.
    fn flood(&self, script: &str) -> Result<()> {
        let file = self.config(script)?;
        let file = file.display().to_string();
        let probe = charm("probe").display().to_string();
        self.home
            .ok(["deploy", &probe, "probe", "--config", &file])?;
        Ok(())
    }

    fn config(&self, script: &str) -> Result<PathBuf> {
        let file = self.home.path().join("script.yaml");
        let mut text = String::from("probe:\n  script: |\n");
        for line in script.lines() {
            writeln!(text, "    {line}")?;
        }
        std::fs::write(&file, text)?;
        Ok(file)
    }

    /// Until the probe has run its start hook: whether it failed. The other model answers meanwhile.
    fn while_it_floods(&self) -> Result<Value> {
        let begun = Instant::now();
        for round in 0.. {
            let asked = Instant::now();
            let wait = format!("force-wait={}m", 1 + round % 50);
            self.home.ok(["model-config", "-m", "other", &wait])?;
            let took = asked.elapsed();
            ensure!(took < PROMPT, "a change in another model took {took:?}");
            let hooks = self
                .home
                .ok(["hooks", "probe/0", "--hook", "start", "--format", "json"])?;
            let hooks: Value = serde_json::from_str(&hooks)?;
            let ran = hooks.as_array().into_iter().flatten();
            if let Some(run) = ran.into_iter().find(|run| run["hook"] == "start") {
                return Ok(run.clone());
            }
            ensure!(
                begun.elapsed() < PATIENCE,
                "the start hook never ended: {hooks}"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        unreachable!("rounds without end");
    }

    fn neighbour_is_well(&self) -> Result<()> {
        self.home.ok(["config", "neighbour", "title=Still alive"])?;
        self.home
            .until("the neighbour follows its config", |model| {
                let unit = &model["applications"]["neighbour"]["units"]["neighbour/0"];
                unit["workload-status"]["current"] == "active"
                    && unit["juju-status"]["current"] == "idle"
            })?;
        Ok(())
    }
}

fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    (1..=count)
        .map(|number| format!("start: {}\n", line(number)))
        .collect()
}

#[test]
fn a_charm_that_opens_thousands_of_ports_holds_up_nobody() -> Result<()> {
    let house = House::new()?;
    house.flood(&lines(10_000, |port| format!("port open {port}/tcp")))?;
    let run = house.while_it_floods()?;
    ensure!(run["result"] == "failed", "{run}");
    let said = run["message"].as_str().context("a message")?;
    ensure!(said.contains("too-many-ports"), "{said}");
    let unit = house.home.unit("probe/0")?;
    ensure!(
        unit["open-ports"].as_array().is_none_or(Vec::is_empty),
        "{unit}"
    );

    let file = house.config(&lines(100, |port| format!("port open {port}/tcp")))?;
    house
        .home
        .ok(["config", "probe", "--file", &file.display().to_string()])?;
    house.home.ok(["resolved", "probe/0"])?;
    house.home.until("a hundred ports are open", |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["open-ports"]
            .as_array()
            .is_some_and(|open| open.len() == 100)
    })?;
    house.neighbour_is_well()
}

#[test]
fn a_charm_that_chatters_fills_no_history() -> Result<()> {
    let house = House::new()?;
    house.flood(&lines(900, |number| {
        format!("status maintenance step {number}")
    }))?;
    let run = house.while_it_floods()?;
    ensure!(run["result"] == "ok", "{run}");
    let history = house.home.ok([
        "show-status-log",
        "probe/0",
        "-n",
        "5000",
        "--format",
        "json",
    ])?;
    let steps = history.matches("step ").count();
    // A minute may end while it chatters.
    ensure!((1..=210).contains(&steps), "{steps} of 900 steps are kept");
    ensure!(history.contains("step 900"), "the last one is");
    house.neighbour_is_well()
}

#[test]
fn a_hook_changes_its_status_a_thousand_times_and_is_refused_once_more() -> Result<()> {
    let house = House::new()?;
    house.flood(&lines(1_001, |number| format!("version {number}")))?;
    let run = house.while_it_floods()?;
    ensure!(run["result"] == "failed", "{run}");
    let said = run["message"].as_str().context("a message")?;
    ensure!(said.contains("1000 times"), "{said}");
    house.neighbour_is_well()
}

#[test]
fn a_bag_of_settings_has_a_bound_and_what_was_refused_is_nowhere() -> Result<()> {
    let house = House::new()?;
    house.flood(&lines(10_001, |key| {
        format!("relation-set key-{key} v in ring")
    }))?;
    let run = house.while_it_floods()?;
    ensure!(run["result"] == "failed", "{run}");
    let said = run["message"].as_str().context("a message")?;
    ensure!(said.contains("10000"), "{said}");
    let shown = house
        .home
        .ok(["show-unit", "probe/0", "--format", "json"])?;
    ensure!(!shown.contains("key-1"), "{shown}");
    house.neighbour_is_well()
}
