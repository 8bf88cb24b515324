//! A database that is put back to an earlier moment, under agents whose files are newer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, PATIENCE, kill};

use crate::deploy;

/// The last thing is the status, so that who waits for it waits for the line.
pub(crate) fn script(line: &str) -> String {
    format!("config-changed: append {line}\nconfig-changed: status active {line}")
}

pub(crate) fn writes(home: &Home, line: &str) -> Result<()> {
    home.ok(["config", "probe", &format!("script={}", script(line))])?;
    settled(home, line)
}

pub(crate) fn settled(home: &Home, line: &str) -> Result<()> {
    home.until(line, |model| {
        let unit = &model["applications"]["probe"]["units"]["probe/0"];
        unit["workload-status"]["message"] == line && unit["juju-status"]["current"] == "idle"
    })?;
    Ok(())
}

pub(crate) fn stop(home: &Home) -> Result<()> {
    kill(home.controller_pid()?);
    for agent in home.agent_pids()? {
        kill(agent);
    }
    Ok(())
}

/// Starts the controller and waits until it answers.
pub(crate) fn restart(home: &Home) -> Result<Child> {
    let controller = home.restart_controller()?;
    let started = Instant::now();
    while home.periapt(["models"])?.code != 0 {
        ensure!(started.elapsed() < PATIENCE, "the controller is not back");
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(controller)
}

const DATABASE: [&str; 3] = ["controller.db", "controller.db-wal", "controller.db-shm"];

fn copy_database(from: &Path, to: &Path) -> Result<()> {
    for name in DATABASE {
        let _ = fs::remove_file(to.join(name));
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name))?;
        }
    }
    Ok(())
}

pub(crate) fn state(home: &Home) -> Result<PathBuf> {
    let agents = fs::read_dir(home.controller_directory().join("agents"))?;
    agents
        .flatten()
        .map(|agent| agent.path().join("units/probe-0/state"))
        .find(|state| state.is_dir())
        .context("nobody has the unit")
}

fn generations(home: &Home) -> Result<Vec<u64>> {
    let mut found: Vec<u64> = fs::read_dir(state(home)?)?
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    found.sort_unstable();
    Ok(found)
}

/// The lines in the newest generation.
pub(crate) fn journal(home: &Home) -> Result<String> {
    let newest = *generations(home)?.last().context("no generation")?;
    let text = fs::read_to_string(state(home)?.join(newest.to_string()).join("journal"))?;
    Ok(text.lines().collect::<Vec<_>>().join(" "))
}

#[test]
fn a_database_restored_from_two_hooks_earlier_finds_its_files() -> Result<()> {
    let home = Home::started()?;
    let (data, saved) = (home.controller_directory(), home.path().join("saved"));
    fs::create_dir(&saved)?;
    deploy(&home, &script("one"))?;
    settled(&home, "one")?;
    stop(&home)?;
    copy_database(&data, &saved)?;
    let mut controller = restart(&home)?;
    writes(&home, "two")?;
    writes(&home, "three")?;
    assert_eq!(journal(&home)?, "one two three");
    stop(&home)?;
    controller.wait()?;
    copy_database(&saved, &data)?;
    let mut controller = restart(&home)?;
    writes(&home, "four")?;
    assert_eq!(journal(&home)?, "one four");
    let history = home.ok(["show-status-log", "probe/0"])?;
    assert!(!history.contains("missing"), "{history}");
    stop(&home)?;
    controller.wait()?;
    Ok(())
}

#[test]
fn a_unit_whose_files_a_restored_database_does_not_find_waits_for_a_person() -> Result<()> {
    let home = Home::started()?;
    let (data, saved) = (home.controller_directory(), home.path().join("saved"));
    fs::create_dir(&saved)?;
    deploy(&home, &script("0"))?;
    settled(&home, "0")?;
    stop(&home)?;
    copy_database(&data, &saved)?;
    let mut controller = restart(&home)?;
    for line in ["1", "2", "3", "4"] {
        writes(&home, line)?;
    }
    // Older ones are removed behind the hooks, less the first, on which the journal is built.
    home.until("three generations", |_| {
        let kept = generations(&home);
        kept.is_ok_and(|kept| kept.iter().filter(|kept| **kept > 0).count() == 3)
    })?;
    let kept = generations(&home)?;
    stop(&home)?;
    controller.wait()?;
    copy_database(&saved, &data)?;
    let mut controller = restart(&home)?;
    let message = home.until_hook_error("probe/0")?;
    let newest = *kept.last().context("no generation")?;
    assert!(
        message.contains("is missing")
            && message.contains(&format!("continues with generation {newest}")),
        "{message}"
    );
    assert_eq!(
        generations(&home)?,
        kept,
        "nothing is lost before the answer"
    );
    home.ok(["resolved", "probe/0"])?;
    home.until_workload("probe/0", "active")?;
    writes(&home, "5")?;
    assert_eq!(journal(&home)?, "0 1 2 3 4 5");
    stop(&home)?;
    controller.wait()?;
    Ok(())
}
