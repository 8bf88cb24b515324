//! What a `kill -9` leaves of the settings that a hook writes for the other side of a relation.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};
use periapt_tests::{Home, charm, kill};
use serde_json::Value;

/// The hook that is struck, of `up/0`.
const JOINED: &str = "upstream-relation-joined";

/// `up/0` and `down/0`, both active and not related yet, on machines of their own or on the one.
/// `up` writes into the relation when it meets `down`.
fn apart(then: &str, placement: &[&str]) -> Result<Home> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    for (name, script) in [
        (
            "up",
            format!(
                "start: status active ready\n{JOINED}: relation-set colour blue\n{JOINED}: {then}"
            ),
        ),
        ("down", "start: status active ready".to_owned()),
    ] {
        let script = format!("script={script}");
        let deploy = ["deploy", &probe, name, "--config", &script];
        match name {
            "up" => home.ok(deploy)?,
            _ => home.ok(deploy.iter().chain(placement))?,
        };
        home.until_workload(&format!("{name}/0"), "active")?;
    }
    Ok(home)
}

/// The hooks of a unit that ended, oldest first, each with how.
fn recorded(home: &Home, unit: &str) -> Result<Vec<String>> {
    let runs: Vec<Value> =
        serde_json::from_str(&home.ok(["hooks", unit, "--format", "json", "--limit", "1000"])?)?;
    let word = |run: &Value, key: &str| run[key].as_str().unwrap_or_default().to_owned();
    Ok(runs
        .iter()
        .rev()
        .map(|run| format!("{} {}", word(run, "hook"), word(run, "result")))
        .collect())
}

/// Each time that the charm began a hook of a unit, as it logged it itself, with how often it had
/// committed that hook by then. A line that was written by a controller which died before it said
/// so is there once more, with the same time.
fn begins(home: &Home, unit: &str, hook: &str) -> Result<BTreeMap<i64, usize>> {
    let wanted = format!("hook {hook}, committed before:");
    let log = home.ok([
        "debug-log",
        "--replay",
        "--no-tail",
        "--include",
        unit,
        "--level",
        "TRACE",
        "--format",
        "json",
    ])?;
    let mut begins = BTreeMap::new();
    for line in log.lines() {
        let Some((_, committed)) = line.split_once(&wanted) else {
            continue;
        };
        let record: Value = serde_json::from_str(line)?;
        let time = record["time"].as_str().and_then(periapt_model::time::parse);
        let committed = committed.split([' ', '"']).filter(|name| *name == hook);
        begins.insert(
            time.with_context(|| format!("no time in {line}"))?,
            committed.count(),
        );
    }
    Ok(begins)
}

/// How often the charm began a hook of a unit.
fn begun(home: &Home, unit: &str, hook: &str) -> Result<usize> {
    Ok(begins(home, unit, hook)?.len())
}

/// What `down/0` sees of `up/0`; nothing before the two are related.
fn seen(home: &Home) -> Result<Value> {
    let shown: Value =
        serde_json::from_str(&home.ok(["show-unit", "down/0", "--format", "json"])?)?;
    let relations = shown["down/0"]["relation-info"].as_array().cloned();
    let relation = relations
        .into_iter()
        .flatten()
        .find(|relation| relation["endpoint"] == "downstream");
    Ok(relation.unwrap_or_default()["related-units"]["up/0"]["data"].clone())
}

/// Waits until `down` sees what `up` wrote, and both rest after they joined so often.
fn until_seen(home: &Home, times: usize) -> Result<()> {
    let rests = |unit: &str, endpoint: &str| {
        let runs = recorded(home, unit).unwrap_or_default();
        let joined = format!("{endpoint}-relation-joined ok");
        let last = runs.iter().rfind(|run| run.starts_with(endpoint));
        runs.iter().filter(|run| **run == joined).count() >= times
            && last.is_some_and(|run| run.ends_with("-relation-changed ok"))
    };
    home.until("the other side to see what was written", |model| {
        seen(home).is_ok_and(|data| data["colour"] == "blue")
            && rests("up/0", "upstream")
            && rests("down/0", "downstream")
            && ["up", "down"].iter().all(|name| {
                let unit = &model["applications"][name]["units"][format!("{name}/0")];
                unit["juju-status"]["current"] == "idle"
            })
    })?;
    Ok(())
}

/// Each of these hooks of the relation ran so often and none failed, by the controller's account;
/// the charm began none again that it had committed. (What it logged last went with the agent that
/// was killed; the other unit's hook may have been in its middle then, and begins again.)
fn ran(home: &Home, times: usize, kinds: &[&str]) -> Result<()> {
    for (unit, endpoint) in [("up/0", "upstream"), ("down/0", "downstream")] {
        let runs = recorded(home, unit)?;
        assert!(!runs.iter().any(|run| run.ends_with("failed")), "{runs:?}");
        for kind in kinds {
            let hook = format!("{endpoint}-relation-{kind}");
            let well = format!("{hook} ok");
            let kept = runs.iter().filter(|run| **run == well).count();
            assert_eq!(kept, times, "{unit}: {hook} in {runs:?}");
            let begins = begins(home, unit, &hook)?;
            let again = begins.values().any(|committed| *committed >= times);
            assert!(!again, "{unit}: {hook} after it was committed: {begins:?}");
        }
    }
    Ok(())
}

#[test]
fn killed_in_the_middle_of_a_hook_its_data_is_absent_and_after_the_retry_present_once() -> Result<()>
{
    let home = apart("sleep 50000", &[])?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["integrate", "up:upstream", "down:downstream"])?;
    home.until("the hook to be in its middle", |model| {
        let unit = &model["applications"]["up"]["units"]["up/0"];
        unit["juju-status"]["current"] == "executing"
            && unit["juju-status"]["message"]
                .as_str()
                .is_some_and(|message| message.contains(JOINED))
            && begun(&home, "up/0", JOINED).is_ok_and(|times| times == 1)
    })?;
    for agent in home.agent_pids()? {
        kill(agent);
    }
    let message = home.until_hook_error("up/0")?;
    assert!(
        message.contains(&format!("hook failed: \"{JOINED}\"")),
        "{message}"
    );
    let there = seen(&home)?;
    assert!(
        there["ingress-address"].is_string() && there.get("colour").is_none(),
        "in scope, and nothing of the hook: {there}"
    );
    let script = format!("script={JOINED}: relation-set colour blue");
    home.ok(["config", "up", &script])?;
    home.ok(["resolved", "up/0"])?;
    until_seen(&home, 1)?;
    assert_eq!(
        begun(&home, "up/0", JOINED)?,
        2,
        "the killed one and the retry"
    );
    let well = format!("{JOINED} ok");
    let runs = recorded(&home, "up/0")?;
    let kept = runs.iter().filter(|run| **run == well).count();
    assert_eq!(kept, 1, "{runs:?}");
    Ok(())
}

/// Between the end of the hook's code and the end of its bookkeeping the one commit stands that
/// makes it all true. The agent dies after it, before it has done anything else: after that of
/// the first hook of a relation, and of another one after that of the second, up to the sixth.
#[test]
fn killed_between_execute_and_the_end_of_the_commit_no_hook_is_run_twice_and_the_data_is_present()
-> Result<()> {
    // On one machine only one hook runs at a time; the next may begin while the last commits.
    let home = apart("succeed", &["--to", "0"])?;
    let data = home.controller_directory();
    kill(home.controller_pid()?);
    for round in 1..=6 {
        for agent in home.agent_pids()? {
            kill(agent);
        }
        for entry in std::fs::read_dir(data.join("agents"))?.flatten() {
            // An agent that has a log is a later life, which is spared.
            let _ = std::fs::remove_file(entry.path().join("agent.log"));
        }
        let mut armed = home
            .command(["controller", "run", "--data-dir"])
            .arg(&data)
            .env("PERIAPT_FAILPOINT", format!("uniter-after-commit:{round}"))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()?;
        home.until("an agent to be back", |_| {
            home.agent_pids().is_ok_and(|agents| agents.len() == 1)
        })?;
        home.ok(["integrate", "up:upstream", "down:downstream"])?;
        until_seen(&home, round)?;
        let log = std::fs::read_to_string(data.join("controller.log"))?;
        let deaths = log.matches("starts again").count();
        assert_eq!(deaths, round, "one agent dies in each round\n{log}");
        ran(&home, round, &["created", "joined"])?;
        home.ok(["remove-relation", "up:upstream", "down:downstream"])?;
        home.until("the relation to be gone", |_| {
            seen(&home).is_ok_and(|data| data.is_null())
                && recorded(&home, "up/0").is_ok_and(|runs| {
                    let broken = runs
                        .iter()
                        .filter(|run| run.contains("upstream-relation-broken"));
                    broken.count() == round
                })
        })?;
        ran(&home, round, &["departed", "broken"])?;
        kill(home.controller_pid()?);
        let _ = armed.wait();
    }
    Ok(())
}

/// The same from the other end: the controller has the commit on its disk and dies before the
/// agent hears of it.
#[test]
fn a_hook_whose_commit_was_not_answered_is_not_run_twice_and_the_data_is_present() -> Result<()> {
    let home = apart("succeed", &["--to", "0"])?;
    kill(home.controller_pid()?);
    let data = home.controller_directory();
    let mut armed = home
        .command(["controller", "run", "--data-dir"])
        .arg(&data)
        .env("PERIAPT_FAILPOINT", "store-after-hook-commit")
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()?;
    while home.periapt(["models"])?.code != 0 {
        std::thread::sleep(Duration::from_millis(100));
    }
    home.ok(["integrate", "up:upstream", "down:downstream"])?;
    let ended = armed.wait()?;
    assert!(
        !ended.success(),
        "the controller died at the commit: {ended}"
    );
    let mut second = home.restart_controller()?;
    until_seen(&home, 1)?;
    // The next hook may have begun in vain, without a controller; this one was done.
    for (unit, hook) in [("up/0", JOINED), ("down/0", "downstream-relation-joined")] {
        let runs = recorded(&home, unit)?;
        let kept = runs.iter().filter(|run| run.starts_with(hook));
        assert_eq!(kept.count(), 1, "{unit}: {runs:?}");
    }
    assert_eq!(begun(&home, "up/0", JOINED)?, 1);
    kill(home.controller_pid()?);
    let _ = second.wait();
    Ok(())
}
