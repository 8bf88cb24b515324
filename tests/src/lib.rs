//! What whole-system tests stand on: a real controller in a fresh folder, driven by the real
//! program the way a person drives it. Every fixture stops what it started.
//!
//! `cargo xtask test` says by environment where the program and the packed charms are.

pub mod account;
pub mod allocations;
pub mod browser;
mod compiled;
pub mod counters;
pub mod files;
pub mod hooks;
pub mod receivers;
pub mod secrets;
pub mod storage;
pub mod vault;
pub mod web;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal};
use serde_json::Value;

/// Generous, for loaded machines; nothing here measures speed.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// How long to leave alone what has been waited for so long: whoever asks costs the processor time that whatever is
/// waited for needs, and several tests wait at a time.
pub fn pause(waited: Duration) -> Duration {
    (waited / 8).clamp(Duration::from_millis(100), Duration::from_secs(1))
}

/// The `periapt` program under test.
pub fn program() -> PathBuf {
    std::env::var_os("PERIAPT_TEST_PROGRAM")
        .map_or_else(|| target().join("debug/periapt"), PathBuf::from)
}

/// The password by which the agent that keeps its files in `directory` comes to its controller: the
/// one that it made itself at the first use of the one it was given.
///
/// # Errors
/// An agent that has none in time.
pub fn agent_password(directory: &Path) -> Result<String> {
    let path = directory.join("credential/password.json");
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let own = std::fs::read(&path).ok();
        let own: Option<Value> = own.and_then(|own| serde_json::from_slice(&own).ok());
        if let Some(own) = own
            && own["told"] == true
        {
            return Ok(own["password"].as_str().unwrap_or_default().to_owned());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("the agent has no password in {}", path.display())
}

/// Names of the hooks that ran on a unit of the charm `probe`, in order, as the charm logged them. Unlike its runs, they
/// outlive the unit.
pub fn logged_hooks(home: &Home, unit: &str) -> Result<Vec<String>> {
    let log = home.ok([
        "debug-log",
        "--replay",
        "--no-tail",
        "--include",
        unit,
        "--level",
        "TRACE",
    ])?;
    Ok(log
        .lines()
        .filter_map(|line| {
            line.split_once(", committed before:")?
                .0
                .rsplit_once("hook ")
        })
        .map(|(_, hook)| hook.to_owned())
        .collect())
}

/// A packed charm of `charms/`.
pub fn charm(name: &str) -> PathBuf {
    let directory = std::env::var_os("PERIAPT_TEST_CHARMS")
        .map_or_else(|| target().join("charms"), PathBuf::from);
    directory.join(format!("{name}.charm"))
}

/// Writes a packed charm of `charms/` to `target` with other files in it, each by its name: another
/// revision of the charm.
pub fn charm_with(name: &str, files: &[(&str, &str)], target: &Path) -> Result<()> {
    let mut source = zip::ZipArchive::new(std::fs::File::open(charm(name))?)?;
    let mut target = zip::ZipWriter::new(std::fs::File::create(target)?);
    let options = zip::write::SimpleFileOptions::default();
    for index in 0..source.len() {
        let mut entry = source.by_index(index)?;
        let entry_name = entry.name()?.into_owned();
        if files.iter().any(|(file, _)| *file == entry_name) {
            continue;
        }
        target.start_file(entry_name, options)?;
        std::io::copy(&mut entry, &mut target)?;
    }
    for (file, text) in files {
        target.start_file(*file, options)?;
        target.write_all(text.as_bytes())?;
    }
    target.finish()?;
    Ok(())
}

/// The top of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// What one command printed, and how it ended.
#[derive(Debug)]
pub struct Answer {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Answer {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A folder with a client directory in it, and at most one controller.
pub struct Home {
    directory: tempfile::TempDir,
    environment: Vec<(String, String)>,
}

/// A free port for a controller that is to find it free again when it comes back. The kernel hands out
/// those from 32768 on to whoever asks for any, so one of them may be somebody else's meanwhile.
pub fn lasting_port() -> Result<u16> {
    let first = std::process::id() % 10_000;
    (0..10_000)
        .map(|step| 20_000 + (first + step * 7) % 10_000)
        .filter_map(|port| u16::try_from(port).ok())
        .find(|port| {
            let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
            !taken.contains(port)
                && TcpListener::bind(("127.0.0.1", *port)).is_ok()
                && taken.insert(*port)
        })
        .context("no port below 30000 is free")
}

/// Ports that this process chose.
static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

impl Home {
    pub fn new() -> Result<Self> {
        Ok(Self {
            directory: tempfile::Builder::new().prefix("periapt-test-").tempdir()?,
            environment: Vec::new(),
        })
    }

    /// A home whose controller is started with these environment variables.
    pub fn with_environment(variables: &[(&str, &str)]) -> Result<Self> {
        let mut home = Self::new()?;
        home.environment = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Ok(home)
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn controller_directory(&self) -> PathBuf {
        self.path().join("controller")
    }

    /// A call of the program with this home as the client's directory.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .env("PERIAPT_DATA", self.path().join("client"))
            .env("NO_COLOR", "1")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .current_dir(self.path());
        command
    }

    pub fn periapt<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Answer> {
        Ok(self
            .command(arguments)
            .output()
            .context("periapt does not start")?
            .into())
    }

    /// Runs a command that must succeed and gives its standard output.
    pub fn ok<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<String> {
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|argument| argument.as_ref().to_owned())
            .collect();
        let answer = self.periapt(&arguments)?;
        if answer.code != 0 {
            bail!(
                "periapt {arguments:?} ended with {}:\n{}{}",
                answer.code,
                answer.out,
                answer.err
            );
        }
        Ok(answer.out)
    }

    /// Bootstraps a controller and adds the model `test`.
    pub fn bootstrap(&self) -> Result<()> {
        self.bootstrap_with(&[])
    }

    /// The same with more words to `bootstrap`.
    pub fn bootstrap_with(&self, words: &[&str]) -> Result<()> {
        let data = self.controller_directory();
        let directory = data.display().to_string();
        let port = lasting_port()?.to_string();
        let first = ["bootstrap", "tester", "--port", &port, "--data-dir"];
        self.ok([&first[..], &[&directory], words].concat())?;
        compiled::lend(&data)?;
        self.grant_all()?;
        self.ok(["add-model", "test"])?;
        Ok(())
    }

    /// Has the controller grant whatever charms declare: the probe declares more than is granted by default.
    pub fn grant_all(&self) -> Result<()> {
        self.ok(["controller-config", "capability-default=*"])?;
        Ok(())
    }

    /// A home with a running controller and the model `test`.
    pub fn started() -> Result<Self> {
        let home = Self::new()?;
        home.bootstrap()?;
        Ok(home)
    }

    /// What a command that succeeds prints with `--format json`.
    pub fn json<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Result<Value> {
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|one| one.as_ref().to_owned());
        let told = self.ok(arguments.chain(["--format".into(), "json".into()]))?;
        serde_json::from_str(&told).with_context(|| told.clone())
    }

    pub fn status(&self) -> Result<Value> {
        self.json(["status"])
    }

    pub fn unit(&self, unit: &str) -> Result<Value> {
        let application = unit.split('/').next().unwrap_or_default();
        Ok(self.status()?["applications"][application]["units"][unit].clone())
    }

    /// Asks for the status until `holds`, and shows the last one when it never does.
    pub fn until(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Result<Value> {
        let started = Instant::now();
        let mut last = Value::Null;
        while started.elapsed() < PATIENCE {
            if let Ok(status) = self.status() {
                if holds(&status) {
                    return Ok(status);
                }
                last = status;
            }
            std::thread::sleep(pause(started.elapsed()));
        }
        let log = self
            .periapt(["debug-log", "--replay", "--no-tail"])
            .map(|answer| answer.out)
            .unwrap_or_default();
        let lines: Vec<&str> = log.lines().rev().take(80).collect();
        let tail: Vec<&str> = lines.into_iter().rev().collect();
        bail!("waited in vain for: {what}\n{last:#}\n{}", tail.join("\n"))
    }

    /// Waits until the unit's workload has this status and its agent is idle.
    pub fn until_workload(&self, unit: &str, status: &str) -> Result<Value> {
        let application = unit.split('/').next().unwrap_or_default().to_owned();
        let found = self.until(&format!("{unit} {status} and idle"), |model| {
            let unit = &model["applications"][&application]["units"][unit];
            unit["workload-status"]["current"] == status && unit["juju-status"]["current"] == "idle"
        })?;
        Ok(found["applications"][&application]["units"][unit].clone())
    }

    /// Waits until the unit's hook failed.
    pub fn until_hook_error(&self, unit: &str) -> Result<String> {
        let application = unit.split('/').next().unwrap_or_default().to_owned();
        let found = self.until(&format!("{unit} in error"), |model| {
            model["applications"][&application]["units"][unit]["workload-status"]["current"]
                == "error"
        })?;
        let message =
            &found["applications"][&application]["units"][unit]["workload-status"]["message"];
        Ok(message.as_str().unwrap_or_default().to_owned())
    }

    pub fn log(&self) -> Result<String> {
        self.ok(["debug-log", "--replay", "--no-tail", "--level", "TRACE"])
    }

    /// Process of the controller.
    pub fn controller_pid(&self) -> Result<Pid> {
        self.pid_of("controller run")?
            .into_iter()
            .next()
            .context("no controller process")
    }

    /// The process of the controller whose directory this is, one of several of this home.
    pub fn controller_pid_in(&self, directory: &Path) -> Result<Pid> {
        let command = format!("--data-dir {}", directory.display());
        let mut found = self.pid_of("controller run")?;
        found.retain(|pid| {
            let path = format!("/proc/{}/cmdline", pid.as_raw_nonzero());
            let line = std::fs::read(path).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            line.trim_end().ends_with(&command)
        });
        found.into_iter().next().context("no controller process")
    }

    /// Processes of the agents.
    pub fn agent_pids(&self) -> Result<Vec<Pid>> {
        self.pid_of("agent run")
    }

    /// Starts the controller of this home again, in the background.
    pub fn restart_controller(&self) -> Result<std::process::Child> {
        self.run_controller(&self.controller_directory())
    }

    /// Starts the controller of a directory, in the background.
    pub fn run_controller(&self, data: &Path) -> Result<std::process::Child> {
        let mut command = self.command([
            OsStr::new("controller"),
            "run".as_ref(),
            "--data-dir".as_ref(),
            data.as_os_str(),
        ]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Ok(command.spawn()?)
    }

    /// Processes of the program under test that run this command for this home. The words must
    /// follow one another: paths contain "controller" as well.
    pub fn pid_of(&self, command: &str) -> Result<Vec<Pid>> {
        let home = self.path().display().to_string();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let Some(pid) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse::<i32>().ok())
            else {
                continue;
            };
            let Ok(line) = std::fs::read(entry.path().join("cmdline")) else {
                continue;
            };
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(&home) && line.contains(&format!(" {command} ")) {
                found.extend(Pid::from_raw(pid));
            }
        }
        Ok(found)
    }

    /// Children of this home's supervisors of workloads that have this part.
    pub fn workload_pids(&self, part: &str) -> Result<Vec<Pid>> {
        let supervisors = self.pid_of("workloads run")?;
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let pid = |text: &str| text.parse().ok().and_then(Pid::from_raw);
            let parent = stat
                .rsplit_once(") ")
                .and_then(|(_, rest)| pid(rest.split(' ').nth(1)?));
            if parent.is_some_and(|parent| supervisors.contains(&parent))
                && line.contains(&format!(" workloads {part}"))
            {
                found.extend(entry.file_name().to_str().and_then(pid));
            }
        }
        Ok(found)
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // Who starts another again goes first.
        for command in [
            "controller keep",
            "controller run",
            "workloads run",
            "agent run",
        ] {
            for pid in self.pid_of(command).unwrap_or_default() {
                kill(pid);
            }
        }
        // What is not kept is compiled again.
        let _ = compiled::keep(&self.controller_directory());
    }
}

/// `kill -9`, and waits until the process is gone.
pub fn kill(pid: Pid) {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) && !is_gone(pid) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The first thread of a process may be dead while others still keep its files and connections.
fn is_gone(pid: Pid) -> bool {
    let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
    let Ok(stat) = std::fs::read_to_string(folder.join("stat")) else {
        return true;
    };
    let threads = std::fs::read_dir(folder.join("task")).map_or(0, Iterator::count);
    stat.contains(") Z ") && threads <= 1
}

/// An error as people get it: three lines on standard error, nothing on standard output.
pub fn assert_three_lines(answer: &Answer, code: i32, words: &[&str]) {
    assert_eq!(answer.code, code, "exit code of {answer:?}");
    assert!(
        answer.out.is_empty(),
        "standard output carries only data: {answer:?}"
    );
    let lines: Vec<&str> = answer
        .err
        .lines()
        // A process that people seldom start themselves, such as `controller run`, writes `error:`.
        .skip_while(|line| !line.starts_with("ERROR ") && !line.starts_with("error: "))
        .collect();
    assert_eq!(lines.len(), 3, "what, why, what to do: {answer:?}");
    assert!(
        lines[1].starts_with("  why: ") && lines[2].starts_with("  try: "),
        "{answer:?}"
    );
    for word in words {
        assert!(
            answer.err.contains(word),
            "\"{word}\" is missing in {answer:?}"
        );
    }
}
