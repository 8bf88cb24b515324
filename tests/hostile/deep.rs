//! Directories in one another without end, files below any path, and an agent that has no file
//! descriptors left: whoever does it has a failed hook, and everybody else goes on.

#[path = "../../host/sandbox/src/tests/guest.rs"]
#[allow(clippy::unwrap_used, clippy::panic, dead_code)]
pub mod guest;
#[path = "../../host/sandbox/src/tests/nest.rs"]
mod nest;
#[allow(clippy::unwrap_used)]
#[path = "../../host/files/src/testing.rs"]
mod trees;

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use nest::{Nest, SHARED, STATE, TMP};
use periapt_tests::{Home, charm, kill};
use rustix::process::{Pid, Resource, getrlimit};

/// What removed the controller for good when removal recursed.
const LEVELS: usize = 18_800;

/// A home whose processes may have this many files open, or as many as this process may, with the
/// neighbour `site/0`.
fn home(descriptors: u64) -> Result<Home> {
    let own = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    let descriptors = descriptors.min(own);
    let home = Home::new()?;
    let data = home.controller_directory();
    let plain = home.command(["bootstrap", "tester", "--port", "0", "--data-dir"]);
    let mut limited = Command::new("sh");
    limited
        .arg("-c")
        .arg(format!("ulimit -n {descriptors} && exec \"$@\""))
        .arg("sh")
        .arg(plain.get_program())
        .args(plain.get_args())
        .arg(&data)
        .current_dir(home.path());
    for (name, value) in plain.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    let output = limited.output()?;
    ensure!(output.status.success(), "{output:?}");
    home.ok(["add-model", "test"])?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;
    Ok(home)
}

/// Packs a charm that nests directories in its `start` hook, and shares `/shared/spool`.
fn pack(home: &Home, name: &str, nest: Nest<'_>) -> Result<PathBuf> {
    let path = home.path().join(format!("{name}.charm"));
    let mut archive = zip::ZipWriter::new(fs::File::create(&path)?);
    let metadata = format!("name: {name}\nsummary: nests\ndescription: nests\n");
    let files: [(&str, &[u8]); 3] = [
        ("metadata.yaml", metadata.as_bytes()),
        ("capabilities.yaml", b"shared:\n  spool: read-write\n"),
        ("charm.wasm", &nest.component()),
    ];
    for (name, content) in files {
        archive.start_file(name, zip::write::SimpleFileOptions::default())?;
        archive.write_all(content)?;
    }
    archive.finish()?;
    Ok(path)
}

fn deploy(home: &Home, name: &str, nest: Nest<'_>) -> Result<()> {
    let path = pack(home, name, nest)?;
    home.ok(["deploy", &path.display().to_string()])?;
    Ok(())
}

/// The reason for which the unit's hook failed.
fn fails(home: &Home, unit: &str) -> Result<String> {
    home.until_hook_error(unit)?;
    home.ok(["hooks", unit, "--failed"])
}

/// The neighbour renders this title, in the same agents as before.
fn neighbour_lives(home: &Home, title: &str, agents: &[Pid]) -> Result<()> {
    home.ok(["config", "site", &format!("title={title}")])?;
    let state = agent(home, "site-0")?.join("units/site-0/state");
    home.until(title, |_| {
        let generations = fs::read_dir(&state).into_iter().flatten().flatten();
        generations.into_iter().any(|generation| {
            fs::read_to_string(generation.path().join("site/index.html"))
                .is_ok_and(|page| page.contains(title))
        })
    })?;
    home.until_workload("site/0", "active")?;
    ensure!(home.agent_pids()? == agents, "the agent is another one");
    Ok(())
}

/// The directory of the agent that hosts this unit.
fn agent(home: &Home, unit: &str) -> Result<PathBuf> {
    let agents = fs::read_dir(home.controller_directory().join("agents"))?;
    agents
        .flatten()
        .map(|entry| entry.path())
        .find(|agent| agent.join("units").join(unit).is_dir())
        .with_context(|| format!("no agent has {unit}"))
}

/// A tree made from outside, which a failing test must not leave to others: they would recurse.
struct Planted(PathBuf);

impl Planted {
    fn new(root: &Path, levels: usize) -> Result<Self> {
        fs::create_dir_all(root)?;
        trees::nest(root, "d", levels, 10);
        // As if the agent, which has a user of its own, had made it.
        let planted = Self(root.to_owned());
        let beside = root.parent().context("has a parent")?;
        let mut owner = std::ffi::OsString::from("--reference=");
        owner.push(beside);
        let given = Command::new("chown")
            .arg("-R")
            .arg(owner)
            .arg(root)
            .status()?;
        ensure!(given.success(), "{given}");
        Ok(planted)
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let _ = periapt_files::remove(&self.0);
    }
}

/// All that is below, by names alone.
fn count(root: &Path) -> usize {
    fs::read_dir(root).map_or(0, |entries| {
        entries
            .flatten()
            .map(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() => 1 + count(&entry.path()),
                _ => 1,
            })
            .sum()
    })
}

#[test]
fn shared_directories_without_end_fail_the_hook_and_removal_still_ends() -> Result<()> {
    let home = home(20_000)?;
    let agents = home.agent_pids()?;
    let controller = home.controller_pid()?;
    let nest = Nest {
        at: SHARED,
        name: "d",
        levels: 18_800,
        bytes: 10,
    };
    deploy(&home, "nester", nest)?;
    let reason = fails(&home, "nester/0")?;
    assert!(
        reason.contains("256 levels deep in /shared/spool"),
        "{reason}"
    );
    let agent = agent(&home, "nester-0")?;
    let spool = agent.join("shared/nester-0/spool");
    assert!(spool.join("d/".repeat(256)).is_dir());
    assert!(!spool.join("d/".repeat(257)).exists(), "the rest is cut");
    neighbour_lives(&home, "first", &agents)?;

    // Trees that were made before there was a bound.
    let old = Planted::new(&agent.join("shared/nester-0/old"), LEVELS)?;
    home.ok(["remove-application", "nester", "--force", "--no-prompt"])?;
    home.until("the application to be gone", |model| {
        model["applications"].get("nester").is_none() && !old.0.exists()
    })?;
    neighbour_lives(&home, "second", &agents)?;

    let old = Planted::new(&agent.join("shared/site-0/old"), LEVELS)?;
    home.ok(["destroy-model", "test", "--no-prompt", "--force"])?;
    assert!(!old.0.exists() && !agent.exists());
    assert_eq!(home.controller_pid()?, controller, "the controller lives");
    home.ok(["add-model", "again"])?;
    Ok(())
}

#[test]
fn a_deep_tree_with_much_at_its_bottom_fails_the_hook_and_nothing_is_left() -> Result<()> {
    let home = home(1024)?;
    let agents = home.agent_pids()?;
    let much = 400 << 20;
    let deep = Nest {
        at: TMP,
        name: "d",
        levels: 3_000,
        bytes: much,
    };
    deploy(&home, "deep", deep)?;
    let reason = fails(&home, "deep/0")?;
    assert!(reason.contains("256 levels deep in /tmp"), "{reason}");
    // As much, within the levels and below the longest path.
    let name = "n".repeat(250);
    let long = Nest {
        name: &name,
        levels: 100,
        ..deep
    };
    deploy(&home, "long", long)?;
    let reason = fails(&home, "long/0")?;
    assert!(reason.contains("268435456 bytes in /tmp"), "{reason}");
    neighbour_lives(&home, "first", &agents)?;
    let agent = agent(&home, "site-0")?;
    for entry in fs::read_dir(agent.join("tmp"))?.flatten() {
        assert_eq!(count(&entry.path()), 0, "{:?}", entry.path());
    }

    // What an agent leaves that dies in the middle of such a hook.
    let left = Planted::new(&agent.join("tmp/hook-1-1"), 3_000)?;
    for pid in agents {
        kill(pid);
    }
    home.until("an agent to be back", |_| {
        home.agent_pids().is_ok_and(|agents| agents.len() == 1)
    })?;
    neighbour_lives(&home, "second", &home.agent_pids()?)?;
    home.until("the leftovers to be gone", |_| {
        let rest = std::fs::read_dir(agent.join("discarded"));
        !left.0.exists() && rest.is_ok_and(|mut entries| entries.next().is_none())
    })?;
    Ok(())
}

#[test]
fn long_names_in_one_another_are_committed_with_the_state_or_fail_the_hook() -> Result<()> {
    let home = home(1024)?;
    let name = "n".repeat(250);
    let long = Nest {
        at: STATE,
        name: &name,
        levels: 60,
        bytes: 10,
    };
    deploy(&home, "long", long)?;
    home.until_workload("long/0", "unknown")?;
    let deep = Nest {
        levels: 300,
        ..long
    };
    deploy(&home, "deep", deep)?;
    let reason = fails(&home, "deep/0")?;
    assert!(reason.contains("256 levels deep in /state"), "{reason}");
    // One failed hook, and no agent that begins again for ever.
    let log = home.log()?;
    assert!(!log.contains("name too long"), "{log}");
    home.ok(["remove-application", "long", "--no-prompt"])?;
    home.ok(["remove-application", "deep", "--force", "--no-prompt"])?;
    home.until("both to be gone", |model| {
        let left = |name| model["applications"].get(name).is_some();
        !left("long") && !left("deep")
    })?;
    Ok(())
}

#[test]
fn an_agent_without_file_descriptors_runs_the_hook_later_and_shows_no_error() -> Result<()> {
    let home = home(1024)?;
    let agent = *home.agent_pids()?.first().context("no agent")?;
    let open = fs::read_dir(format!("/proc/{}/fd", agent.as_raw_nonzero()))?.count();
    // The limits of another user's process are that user's to set, also for a root that may do
    // less than all.
    let owner = fs::metadata(format!("/proc/{}", agent.as_raw_nonzero()))?.uid();
    let limit = |current: u64| -> Result<()> {
        let set = Command::new("prlimit")
            .arg(format!("--pid={}", agent.as_raw_nonzero()))
            .arg(format!("--nofile={current}:1024"))
            .uid(owner)
            .gid(owner)
            .status()?;
        ensure!(set.success(), "{set}");
        Ok(())
    };
    // No more than there are.
    limit(open.saturating_sub(1) as u64)?;
    home.ok(["config", "site", "title=Later"])?;
    home.until("the hook to wait", |_| {
        home.log()
            .is_ok_and(|log| log.contains("has to wait for free file descriptors"))
    })?;
    limit(1024)?;
    home.until_workload("site/0", "active")?;
    let history = home.ok(["show-status-log", "site/0"])?;
    assert!(!history.contains("error"), "{history}");
    let hooks = home.ok(["hooks", "site/0", "--failed"])?;
    assert!(!hooks.contains("config-changed"), "{hooks}");
    let agents = home.agent_pids()?;
    assert_eq!(agents, [agent], "the agent lived through it");
    Ok(())
}
