//! The process as a story: read the configuration, take the lock, give up privileges, log, make
//! a runtime and a sandbox, run the engine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{SharedClock, SystemClock, SystemRandomness};
use periapt_providers::local::AgentLock;
use periapt_sandbox::lockdown::{LockdownReport, lock_down};
use periapt_sandbox::{CompileCache, SandboxEngine, Settings};
use periapt_uniter::{Process, ProcessOptions, WasmSandbox};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use super::agent::{AgentConf, AgentContext};
use super::apicaller::Websocket;
use super::levels::SharedLevels;
use super::log::{self, LogBuffer};
use super::{AgentError, ExitReason, compiled, run_engine};
use crate::agent_config::AgentConfig;

/// The hidden command of the program that compiles a charm in a process of its own.
const COMPILE: &str = "compile-component";
/// Files an agent reads besides its own: names of hosts, libraries and configuration of the
/// system for itself and for its compiler.
const READ_ONLY: &[&str] = &[
    "/etc",
    "/usr",
    "/lib",
    "/lib64",
    "/run/systemd/resolve",
    "/proc",
    "/sys/fs/cgroup",
    "/sys/devices/system/cpu",
    "/dev/urandom",
];
const READ_WRITE: &[&str] = &["/dev/null", "/dev/shm"];
/// Threads for hooks that were broken off and have not ended yet, and for files.
const SPARE_THREADS: usize = 64;

/// How an agent runs.
pub struct AgentOptions {
    pub clock: SharedClock,
    /// The program with the hidden command that compiles charms.
    pub program: PathBuf,
    /// Cancelled to stop.
    pub stopping: CancellationToken,
}

/// Runs an agent process from its configuration file to its end: makes the process small before
/// it has a second thread, then its own runtime. The error, if any, is on stderr.
pub fn run_process(config: &Path) -> ExitCode {
    match prepare_and_run(config) {
        Ok(ExitReason::Stopped | ExitReason::Terminated) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error} ({})", error.code());
            ExitCode::FAILURE
        }
    }
}

fn prepare_and_run(path: &Path) -> Result<ExitReason, AgentError> {
    let config = AgentConfig::read(path)?;
    let program = std::env::current_exe().map_err(files("find", Path::new("the program")))?;
    make_directories(&config.directory)?;
    let lock = AgentLock::take(&config.directory).map_err(AgentError::Lock)?;
    let _lock = lock.ok_or_else(|| AgentError::AlreadyRunning(config.directory.clone()))?;
    let report = restrict(&config.directory, path, &program)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(Process::default_hooks_at_once() + SPARE_THREADS)
        .thread_name("agent")
        .build()
        .map_err(AgentError::Runtime)?;
    let options = AgentOptions {
        clock: SystemClock::shared(),
        program,
        stopping: CancellationToken::new(),
    };
    let ended = runtime.block_on(run_restricted(path, config, options, Some(report)));
    // A hook that was broken off may still run; nothing waits for it.
    runtime.shutdown_timeout(Duration::from_millis(200));
    ended
}

/// Runs an agent process in a runtime that is already there, without restricting it: for
/// callers that cannot do so any more because they have threads. Takes the lock.
///
/// # Errors
/// What keeps it from running.
pub async fn run(config: &Path, options: AgentOptions) -> Result<ExitReason, AgentError> {
    let content = AgentConfig::read(config)?;
    make_directories(&content.directory)?;
    let lock = AgentLock::take(&content.directory).map_err(AgentError::Lock)?;
    let _lock = lock.ok_or_else(|| AgentError::AlreadyRunning(content.directory.clone()))?;
    run_restricted(config, content, options, None).await
}

async fn run_restricted(
    path: &Path,
    config: AgentConfig,
    options: AgentOptions,
    restricted: Option<LockdownReport>,
) -> Result<ExitReason, AgentError> {
    let AgentOptions {
        clock,
        program,
        stopping,
    } = options;
    let levels = SharedLevels::default();
    let buffer = LogBuffer::new(
        config.tag.clone(),
        clock.clone(),
        levels.clone(),
        log::CAPACITY,
    );
    trace_to(&buffer);
    match restricted {
        Some(report) => tracing::info!(model = %config.model_uuid, "agent starts: {report}"),
        None => tracing::warn!(model = %config.model_uuid, "agent starts without restrictions"),
    }
    let hooks_at_once = Process::default_hooks_at_once();
    let slots = u32::try_from(hooks_at_once).unwrap_or(u32::MAX);
    let engine = SandboxEngine::new(Settings {
        slots,
        ..Settings::default()
    })?;
    let compiled = compiled(&config.directory);
    let cache =
        CompileCache::new(&compiled, engine.engine_hash()).map_err(files("open", &compiled))?;
    let sandbox = WasmSandbox::new(engine, cache, program, vec![COMPILE.to_owned()]);
    let process = Process::open(ProcessOptions {
        clock: clock.clone(),
        randomness: Arc::new(SystemRandomness),
        sandbox: Arc::new(sandbox),
        log: Arc::new(buffer.clone()),
        directory: config.directory.clone(),
        hooks_at_once,
    })?;
    let context = AgentContext {
        conf: Arc::new(AgentConf::new(path, config)),
        dial: Arc::new(Websocket),
        process,
        log: buffer,
        levels,
        addresses: vec!["127.0.0.1".to_owned()],
        stopping,
    };
    let ended = run_engine(context, clock).await;
    match &ended {
        Ok(reason) => tracing::info!(?reason, "agent ends"),
        Err(error) => tracing::error!(%error, "agent ends"),
    }
    ended
}

fn make_directories(directory: &Path) -> Result<(), AgentError> {
    let compiled = compiled(directory);
    fs::create_dir_all(&compiled).map_err(files("make", &compiled))
}

/// From here on the process reaches its own directory, what it needs of the system to read, and
/// nothing else.
fn restrict(directory: &Path, config: &Path, program: &Path) -> Result<LockdownReport, AgentError> {
    let existing = |path: &&Path| path.exists();
    let read_write: Vec<&Path> = READ_WRITE
        .iter()
        .map(Path::new)
        .filter(existing)
        .chain([directory])
        .collect();
    let read_only: Vec<&Path> = READ_ONLY
        .iter()
        .map(Path::new)
        .filter(existing)
        .chain([config, program])
        .collect();
    Ok(lock_down(&read_write, &read_only)?)
}

/// Lines go to stderr, which is the agent's own log file, and to the controller.
fn trace_to(buffer: &LogBuffer) {
    let file = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(false)
        .with_filter(LevelFilter::INFO);
    let controller = buffer.clone().with_filter(LevelFilter::DEBUG);
    // In a test there may be a subscriber already, and it stays.
    let _ = tracing_subscriber::registry()
        .with(file)
        .with(controller)
        .try_init();
}

fn files(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> AgentError {
    let path = path.to_owned();
    move |source| AgentError::Files { what, path, source }
}
