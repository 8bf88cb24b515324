//! What a `kill -9` leaves: of an agent, of the controller, at named points and at any moment.
//!
//! The rules are the crash table of the uniter (SPECIFICATION.md): a hook that died while it
//! ran is an error that is retried and leaves no effect; one that died after its commit is
//! never run twice.

mod bundles;
mod damage;
mod journal;
mod keeper;
mod passwords;
mod reboots;
mod relations;
mod restore;
mod secrets;
mod tasks;
mod workloads;

use std::time::Duration;

use periapt_tests::{Home, charm, kill};

const READY: &str = "start: status active ready";

fn deploy(home: &Home, script: &str) -> anyhow::Result<()> {
    home.ok([
        "deploy",
        &charm("probe").display().to_string(),
        "probe",
        "--config",
        &format!("script={script}"),
    ])?;
    Ok(())
}

fn runs_of(home: &Home, hook: &str) -> anyhow::Result<usize> {
    let log = home.log()?;
    Ok(log
        .lines()
        .filter(|line| line.contains(&format!("hook {hook}, committed before:")))
        .count())
}

/// Hooks in the list of runs, oldest first, with how they ended.
fn recorded(home: &Home) -> anyhow::Result<Vec<String>> {
    let text = home.ok(["hooks", "probe/0", "--limit", "1000", "--format", "json"])?;
    let runs: Vec<serde_json::Value> = serde_json::from_str(&text)?;
    let word = |run: &serde_json::Value, key: &str| run[key].as_str().unwrap_or("").to_owned();
    Ok(runs
        .iter()
        .rev()
        .map(|run| format!("{} {}", word(run, "hook"), word(run, "result")))
        .collect())
}

const ALL_WELL: [&str; 5] = [
    "install ok",
    "ring-relation-created ok",
    "leader-elected ok",
    "config-changed ok",
    "start ok",
];

/// Names of the hooks committed before the last one that ran, as the charm keeps them in its state.
fn committed(home: &Home) -> anyhow::Result<Vec<String>> {
    let log = home.log()?;
    let last = log
        .lines()
        .rev()
        .find_map(|line| Some(line.split_once(", committed before:")?.1.to_owned()));
    Ok(last
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect())
}

fn agent_dies_at(failpoint: &str, script: &str) -> anyhow::Result<Home> {
    let home = Home::with_environment(&[("PERIAPT_FAILPOINT", failpoint)])?;
    home.bootstrap()?;
    deploy(&home, script)?;
    home.until_workload("probe/0", "active")?;
    let log = std::fs::read_to_string(home.controller_directory().join("controller.log"))?;
    assert!(
        log.contains("starts again"),
        "the agent was killed and started again:\n{log}"
    );
    Ok(home)
}

#[test]
fn before_prepare_the_same_decision_is_made_again() -> anyhow::Result<()> {
    let home = agent_dies_at("uniter-before-prepare:2", READY)?;
    for hook in ["install", "leader-elected", "config-changed", "start"] {
        assert_eq!(runs_of(&home, hook)?, 1, "{hook}");
    }
    assert_eq!(recorded(&home)?, ALL_WELL);
    Ok(())
}

#[test]
fn during_a_hook_it_is_an_error_that_is_retried_without_effects_of_the_first_run()
-> anyhow::Result<()> {
    let home = agent_dies_at("uniter-during-execute:3", READY)?;
    let history = home.ok(["show-status-log", "probe/0"])?;
    assert!(history.contains("hook failed"), "{history}");
    assert_eq!(
        committed(&home)?,
        [
            "install",
            "ring-relation-created",
            "leader-elected",
            "config-changed"
        ]
    );
    assert_eq!(
        recorded(&home)?,
        ALL_WELL,
        "a run that died is not half recorded"
    );
    Ok(())
}

#[test]
fn after_execute_and_before_the_commit_nothing_of_the_hook_is_left() -> anyhow::Result<()> {
    let home = agent_dies_at("uniter-after-execute:2", READY)?;
    assert_eq!(
        committed(&home)?,
        [
            "install",
            "ring-relation-created",
            "leader-elected",
            "config-changed"
        ]
    );
    assert_eq!(
        recorded(&home)?,
        ALL_WELL,
        "a run that died is not half recorded"
    );
    Ok(())
}

#[test]
fn after_the_commit_the_hook_is_not_run_again() -> anyhow::Result<()> {
    let home = agent_dies_at("uniter-after-commit:2", READY)?;
    for hook in ["install", "leader-elected", "config-changed", "start"] {
        assert_eq!(runs_of(&home, hook)?, 1, "{hook}");
    }
    assert_eq!(recorded(&home)?, ALL_WELL);
    Ok(())
}

#[test]
fn a_killed_agent_comes_back_with_its_units() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy(&home, READY)?;
    home.until_workload("probe/0", "active")?;
    for round in 0..3 {
        let agents = home.agent_pids()?;
        assert_eq!(agents.len(), 1, "{agents:?}");
        kill(agents[0]);
        home.ok([
            "config",
            "probe",
            &format!("script=config-changed: status active round-{round}"),
        ])?;
        home.until("the change arrived", |model| {
            model["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"]
                == format!("round-{round}")
        })?;
    }
    Ok(())
}

#[test]
fn a_killed_controller_comes_back_with_all_it_acknowledged() -> anyhow::Result<()> {
    let home = Home::started()?;
    deploy(&home, READY)?;
    home.until_workload("probe/0", "active")?;
    for round in 0..3 {
        home.ok([
            "config",
            "probe",
            &format!("script=config-changed: status active round-{round}"),
        ])?;
        kill(home.controller_pid()?);
        let mut controller = home.restart_controller()?;
        home.until("the acknowledged change arrived", |model| {
            model["applications"]["probe"]["units"]["probe/0"]["workload-status"]["message"]
                == format!("round-{round}")
        })?;
        assert_eq!(
            home.agent_pids()?.len(),
            1,
            "the running agent was adopted, not doubled"
        );
        if round == 2 {
            home.ok([
                "destroy-controller",
                "tester",
                "--destroy-all-models",
                "--no-prompt",
            ])?;
        }
        let _ = controller.try_wait();
    }
    Ok(())
}

#[test]
fn a_controller_killed_around_its_commit_keeps_all_or_nothing() -> anyhow::Result<()> {
    for (failpoint, expected) in [("store-before-commit", false), ("store-after-commit", true)] {
        let home = Home::started()?;
        home.ok(["destroy-model", "test", "--no-prompt"])?;
        kill(home.controller_pid()?);
        let data = home.controller_directory();
        let mut armed = home
            .command([
                "controller".as_ref(),
                "run".as_ref(),
                "--data-dir".as_ref(),
                data.as_os_str(),
            ])
            .env("PERIAPT_FAILPOINT", failpoint)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()?;
        while home.periapt(["models"])?.code != 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        let answer = home.periapt(["add-model", "late"])?;
        assert_ne!(
            answer.code, 0,
            "the controller died before it could answer: {answer:?}"
        );
        let _ = armed.wait();
        let _second = home.restart_controller()?;
        while home.periapt(["models"])?.code != 0 {
            std::thread::sleep(Duration::from_millis(100));
        }
        assert_eq!(
            home.ok(["models"])?.contains("late"),
            expected,
            "{failpoint}"
        );
        home.ok([
            "destroy-controller",
            "tester",
            "--destroy-all-models",
            "--no-prompt",
        ])?;
    }
    Ok(())
}
