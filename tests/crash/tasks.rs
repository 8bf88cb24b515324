//! Actions against `kill -9`: each is run at most once, and ends.

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm, kill};
use serde_json::Value;

fn task(home: &Home, id: &str) -> Result<Value> {
    home.json(["show-task", id])
}

fn runs(home: &Home, hook: &str) -> Result<usize> {
    let told = home.ok(["hooks", "unruly/0", "--limit", "1000", "--format", "json"])?;
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
