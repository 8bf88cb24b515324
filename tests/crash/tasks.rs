//! Actions against `kill -9`: each is run at most once, and ends.

use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, charm, kill};
use serde_json::Value;

fn task(home: &Home, id: &str) -> Result<Value> {
    home.json(["show-task", id])
}

fn runs(home: &Home, hook: &str) -> Result<usize> {
    runs_of(home, "unruly/0", hook)
}

fn runs_of(home: &Home, unit: &str, hook: &str) -> Result<usize> {
    let told = home.ok(["hooks", unit, "--limit", "1000", "--format", "json"])?;
    let runs: Vec<Value> = serde_json::from_str(&told)?;
    Ok(runs.iter().filter(|run| run["hook"] == hook).count())
}

#[test]
fn an_action_whose_agent_is_killed_ends_once() -> Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("unruly").display().to_string(), "unruly"])?;
    home.until_workload("unruly/0", "active")?;
    home.ok(["run", "unruly/0", "loop", "--background"])?;
    home.until("a task that runs", |_| {
        task(&home, "2").is_ok_and(|task| task["status"] == "running")
    })?;
    // One that waits behind it, which the next agent runs.
    home.ok(["run", "unruly/0", "trap", "--background"])?;
    for agent in home.agent_pids()? {
        kill(agent);
    }
    home.until("an end of both", |_| {
        ["2", "4"]
            .iter()
            .all(|id| task(&home, id).is_ok_and(|task| task["status"] == "failed"))
    })?;
    let first = task(&home, "2")?;
    let message = first["message"].as_str().unwrap_or_default();
    ensure!(
        message.starts_with("the agent stopped while it ran"),
        "{first:#}"
    );
    ensure!(runs(&home, "actions/loop")? == 0, "it was not run again");
    ensure!(runs(&home, "actions/trap")? == 1, "it was run");
    // A controller that is killed knows what was asked for.
    home.ok(["run", "unruly/0", "loop", "--background"])?;
    home.until("a task that runs", |_| {
        task(&home, "6").is_ok_and(|task| task["status"] == "running")
    })?;
    kill(home.controller_pid()?);
    let mut controller = home.restart_controller()?;
    home.until("the controller", |_| task(&home, "6").is_ok())?;
    home.ok(["cancel-task", "6"])?;
    home.until("an end", |_| {
        task(&home, "6").is_ok_and(|task| task["status"] == "aborted" || task["status"] == "failed")
    })?;
    home.until_workload("unruly/0", "active")?;
    let _ = controller.try_wait();
    Ok(())
}

/// One action that commits and one that traps.
const REBUILD: [&str; 2] = ["site/0", "rebuild"];
const TRAP: [&str; 2] = ["unruly/0", "trap"];

/// Where a process dies with an action, how the action has ended when all is up again, and how many runs of it are
/// recorded.
type Point = (&'static str, [&'static str; 2], &'static str, usize);

const OF_THE_AGENT: &[Point] = &[
    ("uniter-after-begin-task", REBUILD, "failed", 0),
    ("uniter-during-execute", REBUILD, "failed", 0),
    ("uniter-after-execute", REBUILD, "failed", 0),
    ("uniter-after-commit", REBUILD, "completed", 1),
    ("uniter-before-end-task", TRAP, "failed", 0),
];

const OF_THE_CONTROLLER: &[Point] = &[
    ("store-after-begin-task", REBUILD, "failed", 0),
    ("store-after-task-commit", REBUILD, "completed", 1),
    ("store-after-end-task", TRAP, "failed", 1),
];

fn both_deployed() -> Result<Home> {
    let home = Home::started()?;
    for name in ["site", "unruly"] {
        home.ok(["deploy", &charm(name).display().to_string(), name])?;
    }
    for unit in ["site/0", "unruly/0"] {
        home.until_workload(unit, "active")?;
        home.ok(["wait-for", "unit", unit])?;
    }
    Ok(home)
}

/// A controller that dies at the point, or whose agent does.
fn armed(home: &Home, failpoint: &str) -> Result<Child> {
    let controller = home
        .command(["controller", "run", "--data-dir"])
        .arg(home.controller_directory())
        .env("PERIAPT_FAILPOINT", failpoint)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    until_it_serves(home)?;
    Ok(controller)
}

fn until_it_serves(home: &Home) -> Result<()> {
    while home.periapt(["models"])?.code != 0 {
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// The id of the task that was asked for last. An operation and its only task have numbers in sequence.
fn newest(home: &Home) -> Result<String> {
    let operations = home.json(["operations", "--limit", "1000"])?;
    let operations = operations.as_object().context("no operations")?;
    let ids = operations.keys().filter_map(|id| id.parse::<u64>().ok());
    Ok((ids.max().context("no operation")? + 1).to_string())
}

/// The action has ended as it should, ran once at most, and its unit takes the next one.
fn ended(home: &Home, point: &Point, id: &str, before: usize) -> Result<()> {
    let (failpoint, [unit, action], status, recorded) = *point;
    home.until(&format!("an end of {action} at {failpoint}"), |_| {
        task(home, id).is_ok_and(|task| {
            ["completed", "failed", "cancelled", "aborted"]
                .iter()
                .any(|end| task["status"] == *end)
        })
    })?;
    let told = task(home, id)?;
    ensure!(told["status"] == status, "{failpoint}: {told:#}");
    let lines = told["log"].as_array().map_or(0, Vec::len);
    ensure!(lines <= 1, "{failpoint}: it ran twice: {told:#}");
    let after = runs_of(home, unit, &format!("actions/{action}"))?;
    ensure!(
        after - before == recorded,
        "{failpoint}: {before} runs before it, {after} after it"
    );
    home.until_workload(unit, "active")?;
    home.ok(["run", "site/0", "rebuild", "--wait", "2m"])?;
    Ok(())
}

#[test]
fn at_each_crash_point_of_its_agent_an_action_runs_at_most_once_and_ends() -> Result<()> {
    let home = both_deployed()?;
    let data = home.controller_directory();
    kill(home.controller_pid()?);
    for (round, point) in OF_THE_AGENT.iter().enumerate() {
        let (failpoint, action, ..) = *point;
        for agent in home.agent_pids()? {
            kill(agent);
        }
        for entry in std::fs::read_dir(data.join("agents"))?.flatten() {
            // An agent that has a log is a later life, which is spared.
            let _ = std::fs::remove_file(entry.path().join("agent.log"));
        }
        let mut controller = armed(&home, failpoint)?;
        home.until("an agent to be back", |_| {
            home.agent_pids().is_ok_and(|agents| agents.len() == 1)
        })?;
        let runs = format!("actions/{}", action[1]);
        let before = runs_of(&home, action[0], &runs)?;
        home.ok(["run", action[0], action[1], "--background"])?;
        ended(&home, point, &newest(&home)?, before)?;
        let log = std::fs::read_to_string(data.join("controller.log"))?;
        let deaths = log.matches("starts again").count();
        ensure!(
            deaths == round + 1,
            "{failpoint}: the agent dies once: {log}"
        );
        kill(home.controller_pid()?);
        let _ = controller.wait();
    }
    Ok(())
}

#[test]
fn at_each_crash_point_of_its_controller_an_action_runs_at_most_once_and_ends() -> Result<()> {
    let home = both_deployed()?;
    kill(home.controller_pid()?);
    for point in OF_THE_CONTROLLER {
        let (failpoint, action, ..) = *point;
        let mut dies = armed(&home, failpoint)?;
        let runs = format!("actions/{}", action[1]);
        let before = runs_of(&home, action[0], &runs)?;
        // It may have its answer before the controller dies, or not.
        let mut asks = home
            .command(["run", action[0], action[1], "--background"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let end = dies.wait()?;
        ensure!(!end.success(), "{failpoint}: the controller died: {end}");
        let mut second = home.restart_controller()?;
        until_it_serves(&home)?;
        asks.wait()?;
        ended(&home, point, &newest(&home)?, before)?;
        kill(home.controller_pid()?);
        let _ = second.wait();
    }
    Ok(())
}
