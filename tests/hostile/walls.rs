//! The walls behind WebAssembly, as they stand around real processes: who an agent is, what it
//! inherits, what others can read of a controller, and how exactly a charm sees time.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use periapt_tests::{Answer, Home, PATIENCE, assert_three_lines, charm, kill};
use rustix::process::Pid;
use serde_json::Value;

use crate::home;

/// Everything that the program gives as user ids to agents that are started as root.
const OWN_USERS: [std::ops::Range<u32>; 2] = [1_879_048_192..2_013_265_920, 40_000..60_000];

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The lines of `/proc/PID/status` of each thread.
fn threads(pid: Pid) -> Result<Vec<String>> {
    let tasks = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()))?;
    let read = |task: fs::DirEntry| fs::read_to_string(task.path().join("status"));
    Ok(tasks.flatten().filter_map(|task| read(task).ok()).collect())
}

/// The words behind a key of `/proc/PID/status`.
fn field<'a>(status: &'a str, key: &str) -> Vec<&'a str> {
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let rest = line.and_then(|line| line.strip_prefix(':'));
    rest.map(|rest| rest.split_whitespace().collect())
        .unwrap_or_default()
}

/// What every thread of an agent must be.
fn is_walled_in(pid: Pid, was_root: bool) -> Result<()> {
    let limits = |pid: &str| -> Result<Vec<String>> {
        let limits = fs::read_to_string(format!("/proc/{pid}/limits"))?;
        let line = |line: &str| Some(line.strip_prefix("Max core file size")?.to_owned());
        let dumps = limits.lines().find_map(line).unwrap_or_default();
        Ok(dumps.split_whitespace().map(str::to_owned).collect())
    };
    // With one byte a file is too small, and a pipe is given nothing; with none it is given all. What this process may
    // not have, its agent may be unable to raise.
    let none = limits("self")?.get(1).is_some_and(|most| most == "0");
    let dumps = limits(&pid.as_raw_nonzero().to_string())?;
    let is_kept = |limit: &String| limit == "1" || (none && limit == "0");
    ensure!(
        dumps.len() > 1 && dumps.iter().take(2).all(is_kept),
        "its memory can be dumped: {dumps:?}"
    );
    let threads = threads(pid)?;
    ensure!(threads.len() > 1, "{threads:?}");
    for status in &threads {
        let mut sets = vec!["CapInh", "CapPrm", "CapEff", "CapAmb"];
        if was_root {
            sets.push("CapBnd");
        }
        for set in sets {
            ensure!(
                field(status, set) == ["0000000000000000"],
                "{set}: {status}"
            );
        }
        ensure!(field(status, "NoNewPrivs") == ["1"], "{status}");
        ensure!(field(status, "Seccomp") == ["2"], "{status}");
        if was_root {
            let ids: BTreeSet<&str> = field(status, "Uid")
                .into_iter()
                .chain(field(status, "Gid"))
                .collect();
            let id: u32 = ids.first().context("an id")?.parse()?;
            ensure!(ids.len() == 1, "{status}");
            ensure!(
                OWN_USERS.iter().any(|range| range.contains(&id)),
                "{status}"
            );
            ensure!(field(status, "Groups").is_empty(), "{status}");
        }
    }
    Ok(())
}

fn only<T>(mut found: Vec<T>) -> Result<T> {
    ensure!(found.len() == 1, "{} instead of one", found.len());
    found.pop().context("one")
}

#[test]
fn an_agent_is_nobody_on_each_of_its_threads() -> Result<()> {
    // Closed to everybody but who made it, as root's home is.
    let home = Home::new()?;
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700))?;
    home.bootstrap()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    is_walled_in(only(home.agent_pids()?)?, is_root())?;
    let engine = home.ok([
        "introspect",
        "depengine",
        "--agent",
        "test",
        "--format",
        "json",
    ])?;
    let engine: Value = serde_json::from_str(&engine)?;
    let walls = find(&engine, "walls").context("the agent's report")?;
    ensure!(
        walls["landlock"].as_u64() >= Some(6),
        "this kernel is too old: {walls}"
    );
    ensure!(walls["missing"] == serde_json::json!([]), "{walls}");
    let controller = fs::read_to_string(home.controller_directory().join("controller.json"))?;
    let controller: Value = serde_json::from_str(&controller)?;
    ensure!(
        walls["ports"] == serde_json::json!([controller["port"]]),
        "{walls}"
    );
    // Only a controller that systemd starts is given cgroups to divide.
    let status = home.status()?;
    let lacks = match is_root() {
        true => "its agent has no cgroup of its own",
        false => "its agent has no user of its own, no cgroup of its own",
    };
    let told = &status["machines"]["0"]["juju-status"]["message"];
    ensure!(*told == lacks, "{status:#}");
    Ok(())
}

/// The first value of a key, wherever it is.
fn find<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    match value {
        Value::Object(entries) => entries
            .get(key)
            .or_else(|| entries.values().find_map(|value| find(value, key))),
        Value::Array(items) => items.iter().find_map(|value| find(value, key)),
        _ => None,
    }
}

fn environment(pid: Pid) -> Result<Vec<String>> {
    let bytes = fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text
        .split('\0')
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect())
}

#[test]
fn nothing_of_the_bootstrappers_environment_is_inherited() -> Result<()> {
    let home = Home::with_environment(&[
        ("SECRET_KEY", "hunter2"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
        ("PGPASSWORD", "hunter2"),
        ("PERIAPT_TEST_WALLS", "hunter2"),
        ("TZ", "UTC"),
    ])?;
    home.bootstrap()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    let controller = environment(home.controller_pid()?)?;
    let expected = ["OTEL_", "TZ=", "RUST_BACKTRACE="];
    let known = |entry: &String| expected.iter().any(|name| entry.starts_with(name));
    ensure!(controller.iter().all(known), "{controller:?}");
    let agent = environment(only(home.agent_pids()?)?)?;
    let allocators = |entry: &String| entry.starts_with("MIMALLOC_");
    ensure!(agent.iter().all(allocators), "{agent:?}");
    Ok(())
}

/// Owner and mode of everything in the data directory but what agents keep.
fn permissions(directory: &Path) -> Result<Vec<(PathBuf, u32, u32)>> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        found.push((path.clone(), metadata.uid(), metadata.mode() & 0o777));
        if metadata.is_dir() && path.parent() != Some(&directory.join("agents")) {
            pending.extend(fs::read_dir(&path)?.flatten().map(|entry| entry.path()));
        }
    }
    Ok(found)
}

#[test]
fn a_controller_in_an_open_directory_is_its_owners_alone() -> Result<()> {
    let home = Home::new()?;
    let directory = home.controller_directory();
    fs::create_dir(&directory)?;
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o755))?;
    // As loose as a person's shell can be.
    let before = rustix::process::umask(rustix::fs::Mode::empty());
    let made = home.bootstrap();
    rustix::process::umask(before);
    made?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    let closed = || -> Result<()> {
        let found = permissions(&directory)?;
        for name in [
            "controller.db",
            "controller.db-wal",
            "controller.log",
            "pki/ca.key",
        ] {
            let path = directory.join(name);
            ensure!(
                found.iter().any(|(found, _, _)| *found == path),
                "no {name}"
            );
        }
        let me = rustix::process::geteuid().as_raw();
        for (path, owner, mode) in found {
            let agent = path.parent() == Some(&directory.join("agents"));
            let allowed = if agent && is_root() { 0o710 } else { 0o700 };
            ensure!(
                owner == me && mode & !allowed == 0,
                "{mode:o} {}",
                path.display()
            );
        }
        Ok(())
    };
    closed()?;

    // One that was opened since is closed again by the next start.
    home.ok(["controller", "stop"])?;
    for name in ["", "controller.db", "cache"] {
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(directory.join(name), open)?;
    }
    home.ok(["controller", "start"])?;
    closed()
}

#[test]
fn a_directory_of_somebody_else_makes_no_controller() -> Result<()> {
    let home = Home::new()?;
    let directory = home.controller_directory();
    fs::create_dir(&directory)?;
    let bootstrap = || {
        let data = directory.as_os_str();
        let words = ["bootstrap", "tester", "--port", "0", "--data-dir"].map(AsRef::as_ref);
        home.periapt(words.into_iter().chain([data]))
    };
    // A trap: what is written to the database lands where somebody else wants it.
    fs::write(home.path().join("elsewhere"), "")?;
    std::os::unix::fs::symlink(
        home.path().join("elsewhere"),
        directory.join("controller.db"),
    )?;
    assert_three_lines(&bootstrap()?, 4, &["controller.db", "is a link"]);
    fs::remove_file(directory.join("controller.db"))?;
    if is_root() {
        chown(&directory, Some(65_534), None)?;
        assert_three_lines(&bootstrap()?, 4, &["belongs to user 65534", "--data-dir"]);
    }
    Ok(())
}

#[test]
fn what_an_agent_kept_as_root_becomes_its_own() -> Result<()> {
    let home = home()?;
    let agents = home.controller_directory().join("agents");
    let mut pending = vec![agents.clone()];
    let me = rustix::process::geteuid().as_raw();
    home.ok(["controller", "stop", "--agents"])?;
    // As an earlier version left it.
    while let Some(path) = pending.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        std::os::unix::fs::lchown(&path, Some(me), Some(me))?;
        if metadata.is_dir() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            pending.extend(fs::read_dir(&path)?.flatten().map(|entry| entry.path()));
        }
    }
    home.ok(["controller", "start"])?;
    home.ok(["config", "neighbour", "title=After the change"])?;
    home.until("the unit follows its config", |model| {
        let unit = &model["applications"]["neighbour"]["units"]["neighbour/0"];
        unit["workload-status"]["current"] == "active" && unit["juju-status"]["current"] == "idle"
    })?;
    // One that has just been started has its walls still to build.
    home.until("the agent to be behind its walls", |_| {
        let agent = home.agent_pids().and_then(only);
        agent.is_ok_and(|agent| is_walled_in(agent, is_root()).is_ok())
    })?;
    let entries = fs::read_dir(agents)?.flatten();
    // Beside the agent are the supervisor of workloads and, for a moment, the directory in which the
    // provider tries whether it can write.
    let agent = only(
        entries
            .map(|entry| entry.path())
            .filter(|path| path.join("agent.json").exists())
            .collect(),
    )?;
    for name in [
        "units",
        "units/neighbour-0",
        "units/neighbour-0/state",
        "charms",
        "credential",
    ] {
        let found = fs::symlink_metadata(agent.join(name))?;
        ensure!(
            is_root() == (found.uid() != me),
            "{name} is of {}",
            found.uid()
        );
    }
    for name in ["agent.json", "lock", "agent.log"] {
        let found = fs::symlink_metadata(agent.join(name))?;
        ensure!(found.uid() == me, "{name} is within the agent's reach");
    }
    Ok(())
}

/// Runs the program as an ordinary user, who needs a copy that can be reached.
fn as_user(home: &Home, user: u32, arguments: &[&str]) -> Result<Answer> {
    let program = home.path().join("periapt");
    if !program.exists() {
        fs::copy(periapt_tests::program(), &program)?;
    }
    let id = user.to_string();
    let output = Command::new("setpriv")
        .args(["--reuid", &id, "--regid", &id, "--clear-groups"])
        .arg(program)
        .args(arguments)
        .env("PERIAPT_DATA", home.path().join("client"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .current_dir(home.path())
        .output()?;
    let answer = Answer::from(output);
    ensure!(answer.code == 0, "{arguments:?}: {answer:?}");
    Ok(answer)
}

#[test]
fn an_ordinary_users_controller_stands_behind_the_same_walls() -> Result<()> {
    // The suite as an ordinary user tests this everywhere.
    if !is_root() {
        return Ok(());
    }
    const USER: u32 = 54_321;
    let home = Home::new()?;
    chown(home.path(), Some(USER), Some(USER))?;
    let file = home.path().join("site.charm");
    fs::copy(charm("site"), &file)?;
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    let (data, file) = (
        home.controller_directory().display().to_string(),
        file.display().to_string(),
    );
    let run = |arguments: &[&str]| as_user(&home, USER, arguments);
    run(&["bootstrap", "tester", "--port", "0", "--data-dir", &data])?;
    run(&["add-model", "test"])?;
    run(&["deploy", &file, "site"])?;
    run(&[
        "wait-for",
        "unit",
        "site/0",
        "--query",
        "workload-status==\"active\"",
    ])?;
    let agent = only(home.agent_pids()?)?;
    is_walled_in(agent, false)?;
    for status in threads(agent)? {
        ensure!(field(&status, "Uid") == ["54321"; 4], "{status}");
    }
    kill(home.controller_pid()?);
    Ok(())
}

#[test]
fn a_charm_sees_time_in_whole_milliseconds() -> Result<()> {
    let home = home()?;
    let script = "script=start: clock\nstart: clock\nstart: clock";
    home.ok([
        "deploy",
        &charm("probe").display().to_string(),
        "probe",
        "--config",
        script,
    ])?;
    let started = Instant::now();
    let times: Vec<u128> = loop {
        let log = home.log()?;
        let times: Vec<u128> = log
            .lines()
            .filter_map(|line| line.rsplit_once("clock ")?.1.trim().parse().ok())
            .collect();
        if times.len() >= 3 {
            break times;
        }
        ensure!(started.elapsed() < PATIENCE, "{log}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    };
    ensure!(times.iter().all(|time| time % 1_000_000 == 0), "{times:?}");
    Ok(())
}
