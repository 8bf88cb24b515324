//! The controller's process, from the lock on its directory to the last line of its log.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::supervised::{Holder, Lock, holder};
use periapt_engine::{
    Delays, DependencyEngine, EngineConfig, Gate, SharedClock, SystemClock, clock,
};
use periapt_providers::Providers;
use periapt_providers::local::{self, LocalOptions, LocalProviders, Patience, Program};
use periapt_server::{Observation, StopSignal, Upgrade};
use periapt_telemetry::{Settings, Spans};
use periapt_wire::rest::StopRequest;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::ControllerConfig;
use crate::error::file;
use crate::reports::EngineRegistry;
use crate::verdict::Verdict;
use crate::workers::logger::SetLevels;
use crate::{
    ControllerContext, ControllerError, STEPS, UpgradeStep, location, log, private, workers,
};

/// How long the engine may take to stop. Each part of it has a shorter bound of its own.
const STOP: Duration = Duration::from_secs(20);

/// What the allocator of an agent is told by its environment, the only door there is before it
/// begins: memory that is free goes back after a millisecond, and none is taken in pages of 2 MiB.
/// There may be a hundred agents on a machine, and most of them rest.
const AGENT_MEMORY: [(&str, &str); 2] =
    [("MIMALLOC_PURGE_DELAY", "1"), ("MIMALLOC_ALLOW_THP", "0")];

/// The controller should be back soon after its database is, however long that was away.
const DELAYS: Delays = Delays {
    error: Duration::from_secs(1),
    max: Duration::from_secs(5),
    ..Delays::DEFAULT
};

/// How to run.
pub struct RunOptions {
    pub data_dir: PathBuf,
    /// Cancelled to stop.
    pub stop: CancellationToken,
    pub clock: SharedClock,
    /// The program that agents and compiling children are started from.
    pub program: PathBuf,
    /// Listen to SIGTERM and SIGINT.
    pub signals: bool,
    pub set_levels: SetLevels,
    /// The directory was moved on purpose, and nothing runs where it was before.
    pub accept_move: bool,
    /// Where machines come from; none for what this program has.
    pub providers: Option<Providers>,
    /// What this version does once about what earlier ones left.
    pub upgrade_steps: &'static [UpgradeStep],
}

impl RunOptions {
    /// The machine's clock, this very program, no signals, no log of its own.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            stop: CancellationToken::new(),
            clock: SystemClock::shared(),
            program: periapt_engine::own_program().unwrap_or_else(|_| PathBuf::from("periapt")),
            signals: false,
            set_levels: Arc::new(|_| Ok(())),
            accept_move: false,
            providers: None,
            upgrade_steps: STEPS,
        }
    }
}

/// What is known once the controller serves.
#[derive(Clone, Debug)]
pub struct Ready {
    /// `host:port`.
    pub addresses: Vec<String>,
    pub pid: u32,
}

/// Takes the lock of a controller's directory.
pub(super) fn lock(directory: &Path) -> Result<Lock, ControllerError> {
    let lock = Lock::take(directory)?;
    lock.ok_or_else(|| ControllerError::AlreadyRunning {
        directory: directory.to_owned(),
        pid: running_pid(directory),
    })
}

/// The process of the controller that runs in this directory.
pub fn running_pid(directory: &Path) -> Option<u32> {
    if !directory.is_dir() {
        return None;
    }
    match holder(directory) {
        Ok(Holder::Process(pid)) => u32::try_from(pid.as_raw_nonzero().get()).ok(),
        _ => None,
    }
}

/// Runs the controller of a data directory until it is asked to stop.
///
/// # Errors
/// A directory without a controller or with one that runs, a taken port, a store that cannot be
/// opened for good. After an error nothing of it runs any more.
pub async fn run(
    options: RunOptions,
    on_ready: impl FnOnce(Ready) + Send + 'static,
) -> Result<(), ControllerError> {
    let config = ControllerConfig::read(&options.data_dir)?;
    let _lock = lock(&options.data_dir)?;
    location::check(&options.data_dir, options.accept_move)?;
    // One that was made before directories were closed, or opened since.
    private::close(&options.data_dir)?;
    check_port(&config)?;
    let clock = Arc::clone(&options.clock);
    let spans = spans(&config);
    let controller = context(options, config, spans.clone());

    let engine = EngineConfig::new("controller", Arc::clone(&clock)).delays(DELAYS);
    let engine = DependencyEngine::new(engine);
    controller.engines.set_controller(engine.clone());
    let installed = workers::manifolds(&controller).install(&engine);
    let ready = async {
        controller.ready.unlocked().await;
        on_ready(Ready {
            addresses: controller.api_addresses.borrow().clone(),
            pid: std::process::id(),
        });
        std::future::pending::<()>().await;
    };
    let request = tokio::select! {
        biased;
        () = controller.stop.cancelled() => StopRequest::default(),
        request = controller.stop_signal.requested() => request,
        _ = engine.wait() => StopRequest::default(),
        () = ready => StopRequest::default(),
    };
    engine.kill();
    let ended = clock::timeout(clock.as_ref(), STOP, engine.wait()).await;
    if request.agents {
        halt_agents(&controller).await;
    }
    spans.shut_down().await;
    installed.map_err(|error| ControllerError::Internal(error.to_string()))?;
    if let Some(error) = controller.verdict.take() {
        return Err(error);
    }
    match ended {
        Some(ended) => ended.map_err(ControllerError::Stopped),
        None => {
            tracing::warn!(report = ?engine.report(), "workers did not stop in time");
            Ok(())
        }
    }
}

/// Runs the controller as the whole process: its own runtime, log and signals.
pub fn run_process(data_dir: &Path, accept_move: bool) -> ExitCode {
    match process(data_dir, accept_move) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!(%error, code = error.code(), "controller ended");
            let _ = writeln!(
                std::io::stderr(),
                "error: the controller ended\n  why: {error}\n  try: {}",
                error.advice()
            );
            ExitCode::FAILURE
        }
    }
}

fn process(data_dir: &Path, accept_move: bool) -> Result<(), ControllerError> {
    let data_dir = std::path::absolute(data_dir).map_err(file("find", data_dir))?;
    // Before the log is opened there: a directory without a controller is left as it is.
    ControllerConfig::read(&data_dir)?;
    let set_levels = log::start(&data_dir.join("controller.log"))?;
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| ControllerError::Internal(error.to_string()))?;
    let program = periapt_engine::own_program()
        .map_err(|error| ControllerError::Internal(error.to_string()))?;
    let options = RunOptions {
        signals: true,
        set_levels,
        program,
        accept_move,
        ..RunOptions::new(data_dir)
    };
    let result = runtime.block_on(run(options, |ready| {
        tracing::info!(addresses = ?ready.addresses, pid = ready.pid, "controller is ready");
        let mut out = std::io::stdout();
        let _ = writeln!(out, "ready {}", ready.addresses.join(" ")).and_then(|()| out.flush());
    }));
    // A task that hangs in the operating system must not keep the process.
    runtime.shutdown_timeout(Duration::from_secs(2));
    result
}

/// A plain message before anything is begun; the port is bound for good by its worker.
fn check_port(config: &ControllerConfig) -> Result<(), ControllerError> {
    let address = SocketAddr::new(config.address, config.port);
    std::net::TcpListener::bind(address)
        .map(drop)
        .map_err(|source| ControllerError::Port { address, source })
}

/// Where spans go: nowhere unless a collector is configured. One that cannot be meant is said
/// in the log; traces are no reason not to run.
fn spans(config: &ControllerConfig) -> Spans {
    let variable = |name: &str| std::env::var(name).ok();
    let settings = Settings::find(
        config.otlp_endpoint.as_deref(),
        variable,
        config.uuid.as_str(),
        env!("CARGO_PKG_VERSION"),
    );
    let Some(settings) = settings else {
        return Spans::off();
    };
    match Spans::start(&settings) {
        Ok(spans) => {
            tracing::info!(collector = %settings.traces_url, "traces are sent");
            spans
        }
        Err(error) => {
            tracing::error!(%error, code = error.code(), "traces are not sent");
            Spans::off()
        }
    }
}

pub(super) fn context(
    options: RunOptions,
    config: ControllerConfig,
    spans: Spans,
) -> ControllerContext {
    let RunOptions {
        data_dir,
        stop,
        clock,
        program,
        signals,
        set_levels,
        providers,
        accept_move: _,
        upgrade_steps,
    } = options;
    let upgraded = Gate::new();
    let providers = providers.unwrap_or_else(|| {
        let local = LocalProviders::new(LocalOptions {
            directory: config.agents_directory(&data_dir),
            program: Program {
                path: program.clone(),
                arguments: ["agent", "run", "--config"].map(str::to_owned).to_vec(),
                environment: AGENT_MEMORY
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .to_vec(),
            },
            workloads: Program {
                path: program.clone(),
                arguments: ["workloads", "run"].map(str::to_owned).to_vec(),
                environment: Vec::new(),
            },
            patience: Patience::default(),
            clock: Arc::clone(&clock),
        });
        Providers::default().with(local::KIND, local)
    });
    let controller_api_port = config.controller_api_port;
    ControllerContext {
        config,
        started_at: clock.now().as_microsecond(),
        data_dir,
        program,
        providers,
        api_addresses: Arc::new(watch::Sender::new(Vec::new())),
        controller_api_port: Arc::new(watch::Sender::new(controller_api_port)),
        agent_addresses: Arc::new(watch::Sender::new(Vec::new())),
        engines: EngineRegistry::default(),
        stop_signal: StopSignal::new(),
        stop,
        upgrade: Upgrade::new(upgraded.clone()),
        upgraded,
        upgrade_steps,
        ready: Gate::new(),
        store_users: TaskTracker::new(),
        verdict: Verdict::default(),
        signals,
        set_levels,
        observation: Observation::new(Arc::clone(&clock), spans),
        clock,
    }
}

/// Stops the agents of all models; their machines stay as they are.
async fn halt_agents(controller: &ControllerContext) {
    let Ok(models) = std::fs::read_dir(controller.agents_directory()) else {
        return;
    };
    for model in models.flatten() {
        let Some(model) = model.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        let halted = match controller.providers.open(local::KIND, &model) {
            Ok(provider) => match provider.shared_agent() {
                Some(agent) => agent.halt().await,
                None => Ok(()),
            },
            Err(error) => Err(error),
        };
        if let Err(error) = halted {
            tracing::warn!(%model, %error, "agent did not stop");
        }
    }
}
