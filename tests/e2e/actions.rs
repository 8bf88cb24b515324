//! Actions and commands: run from the command line, followed, looked up, cancelled, and never the end of a
//! unit.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::json;

use super::two_sites;

#[test]
fn an_action_is_run_followed_and_looked_up() -> Result<()> {
    let home = two_sites()?;
    let listed = home.ok(["actions", "site"])?;
    ensure!(listed.contains("rebuild"), "{listed}");
    let shown = home.ok(["show-action", "site", "rebuild"])?;
    ensure!(shown.contains("pages"), "{shown}");

    // A site has two pages, so that it is asked for more than there are.
    let told = home.periapt(["run", "site/0", "rebuild", "pages=3"])?;
    ensure!(told.code == 0, "{told:?}");
    ensure!(told.out.contains("built: 2"), "{told:?}");
    ensure!(
        told.err.contains("Running operation 1 with 1 task"),
        "{told:?}"
    );

    // Of several units, and of whoever leads.
    let both = home.ok(["run", "site/0", "site/1", "rebuild"])?;
    ensure!(both.contains("site/0") && both.contains("site/1"), "{both}");
    home.ok(["run", "site/leader", "rebuild", "dry-run=true"])?;

    let operation = home.json(["show-operation", "1"])?;
    ensure!(operation["status"] == "completed", "{operation:#}");
    ensure!(
        operation["summary"] == "rebuild run on site/0",
        "{operation:#}"
    );
    let task = home.json(["show-task", "2"])?;
    ensure!(task["results"]["pages"]["built"] == 2, "{task:#}");
    ensure!(
        task["action"]["parameters"] == json!({"pages": 3, "dry-run": false}),
        "{task:#}"
    );
    ensure!(
        task["log"].as_array().is_some_and(|log| log.len() == 2),
        "{task:#}"
    );
    let operations = home.ok(["operations"])?;
    ensure!(operations.lines().count() >= 4, "{operations}");
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("ran rebuild on"), "{audit}");
    // It is a run like a hook's, and the unit is as it was.
    let hooks = home.ok(["hooks", "site/0"])?;
    ensure!(hooks.contains("actions/rebuild"), "{hooks}");
    home.until_workload("site/0", "active")?;
    Ok(())
}

#[test]
fn what_an_action_does_not_take_is_refused_before_anything_runs() -> Result<()> {
    let home = two_sites()?;
    for (arguments, words) in [
        (vec!["run", "site/0", "rebuidl"], "did you mean \"rebuild\""),
        (
            vec!["run", "site/0", "rebuild", "pages=0"],
            "pages: 0 is less than",
        ),
        (vec!["run", "site/0", "rebuild", "pagse=1"], "pagse"),
        (vec!["run", "site/9", "rebuild"], "site/9"),
        (
            vec!["exec", "--unit", "site/0", "--", "lst"],
            "did you mean \"list\"",
        ),
        (vec!["exec", "--machine", "0", "--", "list"], "machine"),
    ] {
        let told = home.periapt(&arguments)?;
        ensure!(
            told.code != 0 && told.err.contains(words),
            "{arguments:?}: {told:?}"
        );
    }
    let operations = home.json(["operations"])?;
    ensure!(
        operations.as_array().is_none_or(Vec::is_empty) || operations == json!({}),
        "{operations:#}"
    );
    Ok(())
}

#[test]
fn a_command_is_run_in_the_sandbox_and_its_return_code_is_told() -> Result<()> {
    let home = two_sites()?;
    let listed = home.periapt(["exec", "--unit", "site/0", "--", "list", "--long"])?;
    ensure!(
        listed.code == 0 && listed.out.contains("index.html"),
        "{listed:?}"
    );
    let wrong = home.periapt(["exec", "--unit", "site/0", "--", "list", "--nonsense"])?;
    ensure!(wrong.code == 2, "the command's own code: {wrong:?}");
    let both = home.ok(["exec", "--application", "site", "--", "list"])?;
    ensure!(both.contains("site/0") && both.contains("site/1"), "{both}");
    // What a command prints is its result and nobody's log.
    ensure!(!home.log()?.contains("index.html"), "{}", home.log()?);
    Ok(())
}

#[test]
fn an_action_that_never_ends_is_cancelled_or_runs_out_of_time_and_its_unit_goes_on() -> Result<()> {
    let home = Home::started()?;
    let unruly = charm("unruly").display().to_string();
    home.ok(["deploy", &unruly, "unruly"])?;
    home.until_workload("unruly/0", "active")?;
    home.ok(["run", "unruly/0", "loop", "--background"])?;
    home.until("a task that runs", |_| {
        home.json(["show-task", "2"])
            .is_ok_and(|task| task["status"] == "running")
    })?;
    let status = home.until("the unit to say so", |status| {
        let unit = &status["applications"]["unruly"]["units"]["unruly/0"];
        unit["juju-status"]["message"] == "running action loop"
    })?;
    ensure!(
        status["applications"]["unruly"]["application-status"]["current"] == "active",
        "{status:#}"
    );
    let waits = home.ok(["run", "unruly/0", "loop", "--background"])?;
    ensure!(waits.is_empty() || waits.contains("3"), "{waits}");
    home.ok(["cancel-task", "4"])?;
    let asked = Instant::now();
    home.ok(["cancel-task", "2"])?;
    home.until("a task that was stopped", |_| {
        home.json(["show-task", "2"])
            .is_ok_and(|task| task["status"] == "aborted")
    })?;
    ensure!(
        asked.elapsed() < Duration::from_secs(20),
        "{:?}",
        asked.elapsed()
    );
    ensure!(
        home.json(["show-task", "4"])?["status"] == "cancelled",
        "taken back"
    );
    let late = home.periapt(["run", "unruly/0", "loop", "--timeout", "1s"])?;
    ensure!(
        late.code == 1 && late.err.contains("did not end within 1 s"),
        "{late:?}"
    );
    let trapped = home.periapt(["run", "unruly/0", "trap"])?;
    ensure!(trapped.code == 1, "{trapped:?}");
    let task = home.json(["show-task", "8"])?;
    ensure!(
        task["status"] == "failed"
            && task["results"]
                .as_object()
                .is_none_or(|results| results.is_empty()),
        "{task:#}"
    );
    let unit = home.unit("unruly/0")?;
    ensure!(
        unit["workload-status"]["current"] == "active",
        "no unit is in error: {unit:#}"
    );
    Ok(())
}
