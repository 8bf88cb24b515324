//! What hooks wrote is in a journal before it is durable anywhere else, and is nowhere else when the
//! machine loses power.

use std::fs;
use std::process::Child;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use periapt_tests::{Home, PATIENCE};

use crate::restore::{journal, restart, script, settled, state, stop, writes};
use crate::{ALL_WELL, agent_dies_at, committed, deploy, recorded};

#[test]
fn a_hook_whose_files_were_written_down_and_not_committed_leaves_nothing() -> Result<()> {
    // The charm writes a file in the second hook that leaves one.
    for failpoint in ["journal-after-append:2", "journal-after-sync:2"] {
        let home = agent_dies_at_files(failpoint)?;
        assert_eq!(journal(&home)?, "install start", "{failpoint}");
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
    }
    Ok(())
}

fn agent_dies_at_files(failpoint: &str) -> Result<Home> {
    agent_dies_at(
        failpoint,
        "install: append install\nstart: append start\nstart: status active ready",
    )
}

/// Hooks that write a megabyte each, until a file of the journal is full.
fn fills_the_journal(failpoint: &str) -> Result<()> {
    const ROUNDS: usize = 20;
    let home = Home::with_environment(&[("PERIAPT_FAILPOINT", failpoint)])?;
    home.bootstrap()?;
    deploy(&home, &script("0"))?;
    settled(&home, "0")?;
    let large = |round: usize| {
        format!(
            "config-changed: write 1000000\n{}",
            script(&round.to_string())
        )
    };
    let mut expected = "0".to_owned();
    for round in 1..ROUNDS {
        home.ok(["config", "probe", &format!("script={}", large(round))])?;
        settled(&home, &round.to_string())?;
        // The status is there before the hook is committed, and an agent that dies in between runs it
        // again, with what the charm is told by then.
        ran(&home, round + 1)?;
        expected += &format!(" {round}");
    }
    let log = fs::read_to_string(home.controller_directory().join("controller.log"))?;
    ensure!(log.contains("starts again"), "the agent was killed:\n{log}");
    assert_eq!(journal(&home)?, expected);
    Ok(())
}

/// Waits until so many `config-changed` hooks are committed.
fn ran(home: &Home, hooks: usize) -> Result<()> {
    let begun = Instant::now();
    loop {
        let runs = recorded(home)?;
        let count = runs.iter().filter(|run| *run == "config-changed ok");
        if count.count() >= hooks {
            return Ok(());
        }
        ensure!(begun.elapsed() < PATIENCE, "not {hooks} hooks in {runs:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_agent_that_dies_while_files_are_made_durable_goes_on_with_its_journal() -> Result<()> {
    fills_the_journal("journal-during-checkpoint")
}

#[test]
fn an_agent_that_dies_before_it_empties_its_journal_goes_on_with_it() -> Result<()> {
    fills_the_journal("journal-before-recycle")
}

/// Stands in for a machine that stopped: the kernel that the files were written under is not the one
/// that runs, and nothing of them has reached the disk but the journal.
#[test]
fn files_of_a_machine_that_lost_power_are_made_anew() -> Result<()> {
    let home = Home::started()?;
    deploy(&home, &script("one"))?;
    settled(&home, "one")?;
    let mut controller: Option<Child> = None;
    for line in ["two", "three"] {
        stop(&home)?;
        if let Some(mut stopped) = controller.take() {
            stopped.wait()?;
        }
        let state = state(&home)?;
        for generation in fs::read_dir(&state)?.flatten() {
            for file in fs::read_dir(generation.path())?.flatten() {
                fs::write(file.path(), "")?;
            }
        }
        fs::write(state.join("../../../journal/boot"), "another")?;
        controller = Some(restart(&home)?);
        writes(&home, line)?;
    }
    assert_eq!(journal(&home)?, "one two three");
    let history = home.ok(["show-status-log", "probe/0"])?;
    ensure!(
        !history.contains("missing") && !history.contains("error"),
        "{history}"
    );
    stop(&home)?;
    if let Some(mut controller) = controller {
        controller.wait()?;
    }
    Ok(())
}
