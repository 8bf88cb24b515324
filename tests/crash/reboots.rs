//! Reboots against `kill -9`: what was asked for is carried out, once, and `start` runs once after it.

use anyhow::{Result, ensure};

use super::{READY, agent_dies_at, runs_of};

#[test]
fn a_reboot_that_was_asked_for_is_carried_out_whoever_dies() -> Result<()> {
    let script = format!("config-changed: reboot\n{READY}");
    // Before it is counted, and after that with the engine of before still there.
    for failpoint in ["machine-before-reboot", "machine-after-reboot"] {
        let home = agent_dies_at(failpoint, &script)?;
        ensure!(runs_of(&home, "config-changed")? == 1, "{failpoint}");
        ensure!(runs_of(&home, "start")? == 1, "{failpoint}");
        let workers = home.ok(["workers", "--format", "json"])?;
        ensure!(workers.contains("\"reboot\""), "{workers}");
    }
    Ok(())
}

#[test]
fn a_hook_that_dies_as_it_asks_for_a_reboot_at_once_is_one_that_failed_and_is_tried_again()
-> Result<()> {
    let script = format!("config-changed: reboot-now\n{READY}");
    let home = agent_dies_at("uniter-before-reboot-now", &script)?;
    // The line of the run that died may have died with it.
    let runs = runs_of(&home, "config-changed")?;
    ensure!((1..=2).contains(&runs), "run again: {runs}");
    ensure!(runs_of(&home, "start")? == 1, "once");
    Ok(())
}
