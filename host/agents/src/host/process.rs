//! The process as a story: read the configuration, take the lock, give up privileges, log, make
//! a runtime and a sandbox, run the engine.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::descriptors;
use periapt_engine::supervised::{self, ENDED};
use periapt_engine::{SharedClock, SystemClock, SystemRandomness};
use periapt_model::turns::Room;
use periapt_sandbox::lockdown::{Identity, LockdownReport, Sockets, User, Walls, lock_down};
use periapt_sandbox::{CompileCache, SandboxEngine, Settings};
use periapt_uniter::restricted::AT_ONCE;
use periapt_uniter::{Process, ProcessOptions, WasmSandbox};
use rustix::fs::Mode;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use super::agent::{AgentConf, AgentContext};
use super::apiaddressupdater::Routes;
use super::apicaller::Websocket;
use super::directories::{self, COMPILED, STORAGE};
use super::diskmanager::Disks;
use super::kernel_file::KernelFile;
use super::levels::SharedLevels;
use super::log::{self, LogBuffer};
use super::{AgentError, ExitReason, run_engine};
use crate::agent_config::AgentConfig;
use crate::one_line::OneLine;

/// Threads for hooks that were broken off and have not ended yet, and for files.
const SPARE_THREADS: usize = 64;

/// How an agent runs.
pub struct AgentOptions {
    pub clock: SharedClock,
    /// Cancelled to stop.
    pub stopping: CancellationToken,
}

/// What a process exits with that has nothing left to do, ever: whoever supervises it need not
/// start it again.
pub const TERMINATED: u8 = 10;

/// Where the kernel says which boot this is.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// What is found out before the process is restricted, since it cannot be afterwards.
struct Found {
    cores: usize,
    room: Room,
    routes: Routes,
    disks: Disks,
    /// What names this boot of the kernel.
    boot: Option<String>,
    cgroup: KernelFile,
    /// What holds from then on; none for a process that is not restricted.
    walls: Option<LockdownReport>,
}

/// Guests compute on threads of their own, so those of the runtime only pass messages on. Of several
/// one wakes the next whenever it finds something to do, in case there is more: four wakes for nothing
/// in each hook.
const CORES_OF_A_WORKER: usize = 4;

/// Runs an agent process from its configuration file to its end: makes the process small before
/// it has a second thread, then its own runtime. Exits with 0 if it was asked to stop, with
/// [`TERMINATED`] if it ends for good, with 1 after an error, which is on stderr.
pub fn run_process(config: &Path) -> ExitCode {
    match prepare_and_run(config) {
        Ok(ExitReason::Stopped) => ExitCode::SUCCESS,
        Ok(ExitReason::Terminated | ExitReason::ShutDown) => ExitCode::from(TERMINATED),
        Err(error) => {
            eprintln!("error: {error} ({})", error.code());
            ExitCode::FAILURE
        }
    }
}

fn prepare_and_run(path: &Path) -> Result<ExitReason, AgentError> {
    rustix::process::umask(Mode::from_raw_mode(0o077));
    let mut config = AgentConfig::read(path)?;
    let lock = supervised::Lock::take(&config.directory).map_err(AgentError::Lock)?;
    let _lock = lock.ok_or_else(|| AgentError::AlreadyRunning(config.directory.clone()))?;
    let identity = Identity::own(config.model_uuid.as_str());
    prepare(&config.directory, identity.own_user())?;
    let mut found = Found::now();
    // The directories above may be closed to the user that this process becomes.
    std::env::set_current_dir(&config.directory).map_err(files("enter", &config.directory))?;
    config.directory = PathBuf::from(".");
    found.walls = Some(restrict(&config, &identity)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(found.cores.div_ceil(CORES_OF_A_WORKER))
        .max_blocking_threads(found.room.all() + SPARE_THREADS)
        .thread_name("agent")
        .build()
        .map_err(AgentError::Runtime)?;
    let options = AgentOptions {
        clock: SystemClock::shared(),
        stopping: CancellationToken::new(),
    };
    let ended = runtime.block_on(run_prepared(config, options, found));
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
    let config = AgentConfig::read(config)?;
    let lock = supervised::Lock::take(&config.directory).map_err(AgentError::Lock)?;
    let _lock = lock.ok_or_else(|| AgentError::AlreadyRunning(config.directory.clone()))?;
    prepare(&config.directory, None)?;
    run_prepared(config, options, Found::now()).await
}

async fn run_prepared(
    config: AgentConfig,
    options: AgentOptions,
    found: Found,
) -> Result<ExitReason, AgentError> {
    let AgentOptions { clock, stopping } = options;
    let levels = SharedLevels::default();
    let buffer = LogBuffer::new(
        config.tag.clone(),
        clock.clone(),
        levels.clone(),
        log::CAPACITY,
    );
    trace_to(&buffer);
    match &found.walls {
        Some(walls) => {
            tracing::info!(model = %config.model_uuid, "agent starts: {walls}");
            for missing in walls.missing() {
                tracing::warn!("a wall around the agent is missing: {missing}");
            }
        }
        None => tracing::warn!(model = %config.model_uuid, "agent starts without restrictions"),
    }
    let room = found.room;
    let slots = u32::try_from(room.all() + AT_ONCE).unwrap_or(u32::MAX);
    let engine = SandboxEngine::new(Settings::for_process(slots, descriptors::limit()))?;
    let compiled = config.directory.join(COMPILED);
    let cache =
        CompileCache::new(&compiled, engine.engine_hash()).map_err(files("open", &compiled))?;
    let process = Process::open(ProcessOptions {
        clock: clock.clone(),
        randomness: Arc::new(SystemRandomness),
        sandbox: Arc::new(WasmSandbox::new(engine, cache)),
        log: Arc::new(buffer.clone()),
        directory: config.directory.clone(),
        room,
        boot: found.boot,
    })?;
    let context = AgentContext {
        conf: Arc::new(AgentConf::new(config)),
        dial: Arc::new(Websocket),
        process,
        log: buffer,
        levels,
        addresses: vec!["127.0.0.1".to_owned()],
        routes: Arc::new(found.routes),
        disks: Arc::new(found.disks),
        walls: found.walls.map(Arc::new),
        cgroup: Arc::new(found.cgroup),
        stopping,
    };
    let ended = run_engine(context, clock).await;
    match &ended {
        Ok(reason) => tracing::info!(?reason, "agent ends"),
        Err(error) => tracing::error!(%error, "agent ends"),
    }
    ended
}

impl Found {
    fn now() -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            room: Process::default_room(),
            routes: Routes::open(),
            disks: Disks::open(),
            boot: std::fs::read_to_string(BOOT).ok(),
            cgroup: KernelFile::open("/proc/self/cgroup"),
            walls: None,
        }
    }
}

fn prepare(directory: &Path, user: Option<User>) -> Result<(), AgentError> {
    directories::prepare(directory, user).map_err(|(path, source)| AgentError::Files {
        what: "prepare",
        path,
        source,
    })
}

/// From here on the process reaches its own directories below the working directory, the
/// controller's ports, and nothing else: it reads no other file, resolves no names and starts no
/// program.
fn restrict(config: &AgentConfig, identity: &Identity) -> Result<LockdownReport, AgentError> {
    let own = directories::own().chain([ENDED, STORAGE]);
    let own: Vec<&Path> = own.map(Path::new).collect();
    let ports: Vec<u16> = config.ports().into_iter().collect();
    Ok(lock_down(&Walls {
        guests: true,
        read_write: &own,
        read_only: &[],
        connect: &ports,
        sockets: Sockets::Tcp,
        identity,
    })?)
}

/// Lines go to stderr, which is the agent's own log file, and to the controller.
fn trace_to(buffer: &LogBuffer) {
    let file = tracing_subscriber::fmt::layer()
        .with_writer(OneLine(io::stderr))
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
