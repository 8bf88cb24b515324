//! The processes behind this program's other names: the one place that knows which crate runs a
//! controller, an agent or a compilation.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use periapt_controller::{
    BootstrapOptions, BootstrapResult, ControllerConfig, ControllerError, JoinOptions, JoinResult,
    RestoreOptions, RestoreResult,
};
use periapt_engine::descriptors;
use periapt_sandbox::{ChildLimits, Inspection, Settings};
use rustix::process::Pid;

use crate::failure::{Exit, Failure, Outcome};

/// `controller run`: until it is told to stop.
pub fn run_controller(data_dir: &Path, detached: bool, accept_move: bool) -> ExitCode {
    if detached {
        // Fails only for a process that leads a session already, which is as good.
        let _ = rustix::process::setsid();
    }
    owner_only();
    descriptors::raise();
    periapt_controller::run_process(data_dir, accept_move)
}

/// `agent run`: until it is told to stop.
pub fn run_agent(config: &Path) -> ExitCode {
    descriptors::raise();
    periapt_agents::host::run_process(config)
}

/// `workloads run`: until it is told to stop.
pub fn run_workloads(directory: &Path, settings: &str) -> ExitCode {
    match serde_json::from_str(settings) {
        Ok(settings) => periapt_workloads::end(periapt_workloads::run(directory, settings)),
        Err(error) => {
            eprintln!("error: invalid settings: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `workloads gate`: until its supervisor is gone.
pub fn gate() -> ExitCode {
    periapt_workloads::end(periapt_workloads::gate())
}

/// `workloads serve`: until its supervisor has no use for it.
pub fn serve() -> ExitCode {
    periapt_workloads::end(periapt_workloads::serve())
}

/// `compile-component`: one compilation, in a process that may be killed for it.
pub fn compile_component() -> ExitCode {
    periapt_sandbox::compile_child_main(&[periapt_sandbox::CHARMS, periapt_serving::SERVERS])
}

/// Makes the directory of a new controller.
pub async fn bootstrap(options: BootstrapOptions) -> Outcome<BootstrapResult> {
    owner_only();
    let data_dir = options.data_dir.clone();
    let made = periapt_controller::bootstrap(options).await;
    made.map_err(|error| not_made(&error, &data_dir))
}

/// Makes the directory of one more process of a controller.
pub async fn join(options: JoinOptions) -> Outcome<JoinResult> {
    owner_only();
    let data_dir = options.data_dir.clone();
    let made = periapt_controller::join(options).await;
    made.map_err(|error| not_made(&error, &data_dir))
}

/// Makes a controller of a backup.
pub async fn restore(options: RestoreOptions) -> Outcome<RestoreResult> {
    owner_only();
    let file = options.file.clone();
    periapt_controller::restore(options).await.map_err(|error| {
        let exit = match &error {
            ControllerError::NotEmpty(_)
            | ControllerError::DatabaseNotEmpty
            | ControllerError::NotYours { .. }
            | ControllerError::AlreadyRunning { .. } => Exit::Conflict,
            _ => Exit::Failed,
        };
        Failure::new(exit, format!("{} cannot be restored", file.display()))
            .why(format!("{error} ({})", error.code()))
            .advice(error.advice())
    })
}

fn not_made(error: &ControllerError, data_dir: &Path) -> Failure {
    let exit = match error {
        ControllerError::AlreadyThere(_)
        | ControllerError::AlreadyRunning { .. }
        | ControllerError::LeftOver(_)
        | ControllerError::NotYours { .. } => Exit::Conflict,
        _ => Exit::Failed,
    };
    Failure::new(
        exit,
        format!("cannot create a controller in {}", data_dir.display()),
    )
    .why(format!("{error} ({})", error.code()))
    .advice(error.advice())
}

/// The process of the controller in `data_dir`, if one runs.
pub fn running_pid(data_dir: &Path) -> Option<u32> {
    periapt_controller::running_pid(data_dir)
}

/// Where a controller in the background says what goes wrong.
pub fn log_file(data_dir: &Path) -> PathBuf {
    data_dir.join("controller.log")
}

/// Starts a controller that outlives this command and its terminal.
pub fn start_controller(data_dir: &Path, accept_move: bool) -> Outcome<Child> {
    let mut words = vec!["controller", "run", "--detached"];
    if accept_move {
        words.push("--accept-move");
    }
    start_in_background(&words, data_dir)
}

/// Starts a keeper that outlives this command and its terminal.
pub fn start_keeper(data_dir: &Path) -> Outcome<Child> {
    start_in_background(&["controller", "keep"], data_dir)
}

/// Runs this program about a controller's directory, its output in the controller's log. Of this
/// command's environment it gets what a controller asks for and nothing else: a person's shell is
/// full of keys.
fn start_in_background(words: &[&str], data_dir: &Path) -> Outcome<Child> {
    owner_only();
    let (out, err) = open_log(data_dir)?;
    let postgres = ControllerConfig::read(data_dir).is_ok_and(|config| config.database.is_some());
    let environment = std::env::vars_os().filter(|(name, _)| {
        name.to_str()
            .is_some_and(|name| is_asked_for(name, postgres))
    });
    Command::new(this_program()?)
        .args(words)
        .arg("--data-dir")
        .arg(data_dir)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .current_dir("/")
        .spawn()
        .map_err(|error| Failure::failed("cannot start the controller").why(error.to_string()))
}

/// The controller's log, twice, to be written at its end.
fn open_log(data_dir: &Path) -> Outcome<(File, File)> {
    let log = log_file(data_dir);
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&log)
        .and_then(|out| Ok((out.try_clone()?, out)))
        .map_err(|error| Failure::file("cannot write the controller's log", &log, &error))
}

/// Whether a controller reads this variable: where traces go, an armed failpoint of a test, and
/// with PostgreSQL what every client of it reads besides the URL.
fn is_asked_for(name: &str, postgres: bool) -> bool {
    let own = ["PERIAPT_FAILPOINT", "PERIAPT_FAULT", "RUST_BACKTRACE", "TZ"].contains(&name);
    own || name.starts_with("OTEL_") || (postgres && (name == "HOME" || name.starts_with("PG")))
}

/// What this process and its children make is for its user's eyes only.
fn owner_only() {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// What a charm's component says of itself. It is compiled in a child process, as a controller
/// does it, so a component that a controller would refuse is refused here.
pub fn inspect(component: &[u8]) -> Outcome<Inspection> {
    let program = this_program()?;
    let arguments = ["compile-component"];
    periapt_sandbox::compile_in_child(
        &program,
        &arguments,
        periapt_sandbox::CHARMS.kind,
        &Settings::default(),
        component,
        &ChildLimits::default(),
    )
    .map(|artifact| artifact.inspection().clone())
    .map_err(|error| {
        Failure::failed("cannot compile the component")
            .why(format!("{error} ({})", error.refusal().code()))
            .advice("build it again with periapt charm build")
    })
}

pub fn this_program() -> Outcome<PathBuf> {
    periapt_engine::own_program().map_err(|error| {
        Failure::failed("this program cannot find its own executable")
            .why(error.to_string())
            .advice("start it by its full path")
    })
}

/// Something that ends when a process does, however that comes about.
pub struct Ending(rustix::fd::OwnedFd);

impl Ending {
    /// None when there is no such process.
    pub fn of(pid: u32) -> Option<Self> {
        let pid = Pid::from_raw(i32::try_from(pid).ok()?)?;
        rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())
            .ok()
            .map(Ending)
    }

    /// Waits for the end; an error when `limit` passes first.
    pub fn wait(self, limit: std::time::Duration, what: &str) -> Outcome {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let limit = Timespec {
            tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: 0,
        };
        let mut waiting = [PollFd::new(&self.0, PollFlags::IN)];
        match poll(&mut waiting, Some(&limit)) {
            Ok(0) => Err(
                Failure::new(Exit::TimedOut, format!("{what} has not ended yet"))
                    .why(format!("it was asked to {} s ago", limit.tv_sec))
                    .advice("check its log, or wait longer"),
            ),
            Ok(_) => Ok(()),
            Err(error) => {
                Err(Failure::failed(format!("cannot wait for {what}")).why(error.to_string()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_asked_for;

    #[test]
    fn a_controller_inherits_what_it_reads_and_no_keys() {
        for name in ["OTEL_EXPORTER_OTLP_ENDPOINT", "TZ", "PERIAPT_FAILPOINT"] {
            assert!(is_asked_for(name, false), "{name}");
        }
        for name in [
            "AWS_SECRET_ACCESS_KEY",
            "SECRET_KEY",
            "PERIAPT_POSTGRES_URL",
            "PERIAPT_DATA",
            "SSH_AUTH_SOCK",
            "PATH",
            "LD_PRELOAD",
        ] {
            assert!(!is_asked_for(name, true), "{name}");
        }
        assert!(is_asked_for("PGPASSWORD", true) && !is_asked_for("PGPASSWORD", false));
    }
}
