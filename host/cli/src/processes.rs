//! The processes behind this program's other names: the one place that knows which crate runs a
//! controller, an agent or a compilation.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};

use periapt_agents::controller::{
    self, BootstrapOptions, BootstrapResult, ControllerError, JoinOptions, JoinResult,
};
use periapt_sandbox::{ChildLimits, Inspection, Settings};
use rustix::process::Pid;

use crate::failure::{Exit, Failure, Outcome};

/// `controller run`: until it is told to stop.
pub fn run_controller(data_dir: &Path, detached: bool) -> ExitCode {
    if detached {
        // Fails only for a process that leads a session already, which is as good.
        let _ = rustix::process::setsid();
    }
    controller::run_process(data_dir)
}

/// `agent run`: until it is told to stop.
pub fn run_agent(config: &Path) -> ExitCode {
    periapt_agents::host::run_process(config)
}

/// `compile-component`: one compilation, in a process that may be killed for it.
pub fn compile_component() -> ExitCode {
    periapt_sandbox::compile_child_main()
}

/// Makes the directory of a new controller.
pub async fn bootstrap(options: BootstrapOptions) -> Outcome<BootstrapResult> {
    let data_dir = options.data_dir.clone();
    let made = controller::bootstrap(options).await;
    made.map_err(|error| not_made(&error, &data_dir))
}

/// Makes the directory of one more process of a controller.
pub async fn join(options: JoinOptions) -> Outcome<JoinResult> {
    let data_dir = options.data_dir.clone();
    let made = controller::join(options).await;
    made.map_err(|error| not_made(&error, &data_dir))
}

fn not_made(error: &ControllerError, data_dir: &Path) -> Failure {
    let exit = match error {
        ControllerError::AlreadyThere(_) | ControllerError::AlreadyRunning { .. } => Exit::Conflict,
        _ => Exit::Failed,
    };
    Failure::new(
        exit,
        format!("no controller could be made in {}", data_dir.display()),
    )
    .why(format!("{error} ({})", error.code()))
    .advice(error.advice())
}

/// The process of the controller in `data_dir`, if one runs.
pub fn running_pid(data_dir: &Path) -> Option<u32> {
    controller::running_pid(data_dir)
}

/// Where a controller in the background says what goes wrong.
pub fn log_file(data_dir: &Path) -> PathBuf {
    data_dir.join("controller.log")
}

/// Starts a controller that outlives this command and its terminal.
pub fn start_controller(data_dir: &Path) -> Outcome<Child> {
    let log = log_file(data_dir);
    let open = || {
        OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&log)
    };
    let (out, err) = open()
        .and_then(|out| Ok((out.try_clone()?, out)))
        .map_err(|error| Failure::file("the controller's log cannot be written", &log, &error))?;
    Command::new(this_program()?)
        .args(["controller", "run", "--detached", "--data-dir"])
        .arg(data_dir)
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(err)
        .current_dir("/")
        .spawn()
        .map_err(|error| Failure::failed("the controller cannot be started").why(error.to_string()))
}

/// What a charm's component says of itself. It is compiled in a child process, as a controller
/// does it, so a component that a controller would refuse is refused here.
pub fn inspect(component: &[u8]) -> Outcome<Inspection> {
    let program = this_program()?;
    let arguments = ["compile-component"];
    periapt_sandbox::compile_in_child(
        &program,
        &arguments,
        &Settings::default(),
        component,
        &ChildLimits::default(),
    )
    .map(|artifact| artifact.inspection().clone())
    .map_err(|error| {
        Failure::failed("the component cannot be compiled")
            .why(format!("{error} ({})", error.code()))
            .advice("build it again with periapt charm build")
    })
}

fn this_program() -> Outcome<PathBuf> {
    std::env::current_exe().map_err(|error| {
        Failure::failed("this program cannot find itself")
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
                    .advice("look into its log, or wait longer"),
            ),
            Ok(_) => Ok(()),
            Err(error) => {
                Err(Failure::failed(format!("cannot wait for {what}")).why(error.to_string()))
            }
        }
    }
}
