//! Hooks that take all the time they may: they delay no other application's, and whoever waits
//! says for what.

use std::time::{Duration, Instant};

use anyhow::Result;
use periapt_tests::{Home, charm};
use serde_json::Value;

/// Far more than a quick hook takes beside hooks that use up all cores, and far less than those.
const SOON: Duration = Duration::from_secs(20);

fn agent_message<'a>(model: &'a Value, application: &str, unit: &str) -> &'a str {
    let unit = &model["applications"][application]["units"][unit];
    unit["juju-status"]["message"].as_str().unwrap_or_default()
}

#[test]
fn looping_hooks_of_one_application_do_not_delay_anothers() -> Result<()> {
    let home = Home::started()?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["deploy", &charm("site").display().to_string(), "neighbour"])?;
    home.until_workload("neighbour/0", "active")?;

    let cores = std::thread::available_parallelism()?.get();
    // So many may be under way at once, which share the places for twice the cores.
    let (running, all) = (6 * cores, 6 * cores + 1);
    let probe = charm("probe").display().to_string();
    home.ok([
        "deploy",
        &probe,
        "looper",
        "-n",
        &all.to_string(),
        "--config",
        "script=config-changed: loop",
    ])?;
    let count = |model: &Value, words: &str| {
        let message = |number| agent_message(model, "looper", &format!("looper/{number}"));
        (0..all).filter(|unit| message(*unit) == words).count()
    };
    let waits = format!("waiting for a turn: {running} hooks are running");
    home.until("all places to be taken and one unit to say so", |model| {
        count(model, "running config-changed hook") == running && count(model, &waits) == 1
    })?;

    let started = Instant::now();
    home.ok(["config", "neighbour", "title=Still quick"])?;
    loop {
        let runs = home.ok(["hooks", "neighbour/0", "--format", "json", "--limit", "1"])?;
        let runs: Value = serde_json::from_str(&runs)?;
        if runs[0]["hook"] == "config-changed" && runs[0]["result"] == "ok" {
            let waited = runs[0]["waited-ms"].as_f64().unwrap_or(f64::MAX);
            assert!(waited < 5_000.0, "{runs:#}");
            break;
        }
        assert!(started.elapsed() < SOON, "the neighbour waits: {runs:#}");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
    Ok(())
}

#[test]
fn a_unit_says_who_holds_its_machine() -> Result<()> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    home.ok(["deploy", &probe, "slow"])?;
    home.until_workload("slow/0", "unknown")?;
    home.ok(["deploy", &probe, "beside", "--to", "0"])?;
    home.until_workload("beside/0", "unknown")?;
    // Long enough for all that is asked below beside other suites.
    home.ok(["config", "slow", "script=config-changed: sleep 20000"])?;
    home.until("the slow hook to run", |model| {
        agent_message(model, "slow", "slow/0") == "running config-changed hook"
    })?;
    home.ok(["config", "beside", "script=# another"])?;
    home.until("the unit beside to say what it waits for", |model| {
        agent_message(model, "beside", "beside/0")
            == "waiting for the machine's lock, held by slow/0 config-changed"
    })?;
    let locks = home.ok([
        "introspect",
        "machinelock",
        "--agent",
        "test",
        "--format",
        "json",
    ])?;
    let locks: Value = serde_json::from_str(&locks)?;
    let text = locks.to_string();
    assert!(
        text.contains("slow/0: run config-changed hook"),
        "{locks:#}"
    );
    home.until_workload("beside/0", "unknown")?;
    let runs = home.ok(["hooks", "beside/0", "--format", "json", "--limit", "1"])?;
    let runs: Value = serde_json::from_str(&runs)?;
    let milliseconds = |key: &str| runs[0][key].as_f64().unwrap_or_default();
    assert!(milliseconds("waited-ms") > 1_000.0, "{runs:#}");
    assert!(
        milliseconds("duration-ms") < milliseconds("waited-ms"),
        "the wait is no part of the run: {runs:#}"
    );
    Ok(())
}
