//! Charms whose unpacked or compiled form is damaged on a disk: the original is still there, so no
//! person is needed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use periapt_tests::{Home, charm, kill};

/// A home with `site/0`, and the directory of its agent.
fn home() -> Result<(Home, PathBuf)> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    let agents = fs::read_dir(home.controller_directory().join("agents"))?;
    let agent = agents
        .flatten()
        .map(|entry| entry.path())
        .find(|agent| agent.join("units/site-0").is_dir())
        .context("nobody has the unit")?;
    Ok((home, agent))
}

fn files(directory: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let files: Vec<PathBuf> = fs::read_dir(directory)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    anyhow::ensure!(!files.is_empty(), "nothing in {}", directory.display());
    Ok(files)
}

/// Puts other content in the place of a file, whatever its mode.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    fs::remove_file(path)?;
    Ok(fs::write(path, content)?)
}

/// A file cut short, and one with a bit flipped.
fn damaged(whole: &[u8]) -> [Vec<u8>; 3] {
    let mut flipped = whole.to_vec();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    [
        whole[..whole.len() / 3].to_vec(),
        flipped,
        b"garbage".to_vec(),
    ]
}

/// The agent is killed and starts again; then the unit follows its configuration, and there was no
/// error.
fn goes_on(home: &Home, agent: &Path, title: &str) -> Result<()> {
    for pid in home.agent_pids()? {
        kill(pid);
    }
    home.ok(["config", "site", &format!("title={title}")])?;
    let state = agent.join("units/site-0/state");
    home.until(title, |_| {
        let generations = fs::read_dir(&state).into_iter().flatten().flatten();
        generations.into_iter().any(|generation| {
            fs::read_to_string(generation.path().join("site/index.html"))
                .is_ok_and(|page| page.contains(title))
        })
    })?;
    home.until_workload("site/0", "active")?;
    // An agent compiles nothing: where it has to, it waits until the controller has.
    let history = home.ok(["show-status-log", "site/0"])?;
    for trouble in ["error", "failed"] {
        assert!(!history.contains(trouble), "{history}");
    }
    Ok(())
}

#[test]
fn an_agent_whose_copies_of_a_charm_are_damaged_makes_them_again() -> Result<()> {
    let (home, agent) = home()?;
    let compiled = files(&agent.join("compiled"), ".cwasm")?.remove(0);
    let unpacked = fs::read_dir(agent.join("charms"))?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.is_dir())
        .context("no charm")?;
    let component = unpacked.join("charm.wasm");
    for (path, what) in [(&compiled, "compiled"), (&component, "unpacked")] {
        let whole = fs::read(path)?;
        for (number, content) in damaged(&whole).iter().enumerate() {
            replace(path, content)?;
            goes_on(&home, &agent, &format!("{what} {number}"))?;
            assert_eq!(fs::read(path)?, whole, "{what} {number}");
        }
    }
    // Both at once.
    replace(&compiled, b"")?;
    replace(&component, b"")?;
    goes_on(&home, &agent, "both")
}

#[test]
fn a_controller_whose_compiled_charm_is_damaged_compiles_it_again() -> Result<()> {
    let (home, agent) = home()?;
    let data = home.controller_directory();
    let database = rusqlite::Connection::open(data.join("controller.db"))?;
    database.busy_timeout(std::time::Duration::from_secs(30))?;
    let digest: String =
        database.query_row("SELECT digest FROM compiled_charm", [], |row| row.get(0))?;
    let whole: Vec<u8> = database.query_row(
        "SELECT data FROM blob_chunk WHERE digest = ?1 AND position = 0",
        [&digest],
        |row| row.get(0),
    )?;
    for (number, content) in damaged(&whole).iter().enumerate() {
        for path in files(&agent.join("compiled"), ".cwasm")? {
            replace(&path, content)?;
        }
        for path in files(&data.join("cache/compiled"), ".cwasm")? {
            replace(&path, content)?;
        }
        database.execute(
            "UPDATE blob_chunk SET data = ?2 WHERE digest = ?1 AND position = 0",
            rusqlite::params![digest, content],
        )?;
        goes_on(&home, &agent, &format!("round {number}"))?;
        home.until("the controller's own to be whole", |_| {
            database
                .query_row(
                    "SELECT data FROM blob_chunk WHERE position = 0 AND digest IN
                        (SELECT digest FROM compiled_charm)",
                    [],
                    |row| row.get::<_, Vec<u8>>(0),
                )
                .is_ok_and(|found| found == whole)
        })?;
    }
    Ok(())
}
