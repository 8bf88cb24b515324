//! One run of one hook: from the staged state directory to the effects, ready to be committed.
//!
//! The hook runs on a thread for blocking work, of which at most the process's room are used
//! at a time. When the agent stops, a hook gets a moment to end; then it is severed and left to
//! its own time limit, with a stage that nobody will look at.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use periapt_engine::{SharedClock, failpoint};
use periapt_model::hook::{Effects, Info};
use periapt_sandbox::{Directories, HookContext, HookEvent};
use periapt_wire::agent::uniter::{GetHookSnapshot, HookSnapshot};
use tokio_util::sync::CancellationToken;

use crate::charms::Charm;
use crate::context::{Tether, UnitContext};
use crate::environment;
use crate::error::{UniterError, call};
use crate::machine_lock::MachineLockGuard;
use crate::sandbox::{HookCall, RunnableCharm, SandboxError};
use crate::state_directory::StateDirectory;
use crate::worker::UniterConfig;

/// How long a running hook may go on after the agent was asked to stop: enough for one that is
/// nearly done, and well within the ten seconds an agent process has to stop.
pub(crate) const GRACE: Duration = Duration::from_secs(4);

/// How a run ended.
pub(crate) enum Ended {
    /// The hook returned ok, and what it wrote is durable under `generation`.
    Well {
        effects: Effects,
        generation: u64,
        config_hash: String,
        status_set: bool,
    },
    Failed {
        code: &'static str,
        reason: String,
        status_set: bool,
    },
    /// The agent stops; the hook's result is not wanted any more.
    BrokenOff,
}

/// Runs `hook` on a copy of `generation`. The machine's lock is held until the hook's thread has
/// ended, also of one that is broken off.
pub(crate) async fn run(
    config: &UniterConfig,
    charm: &Charm,
    hook: &Info,
    state_directory: &StateDirectory,
    generation: u64,
    machine_lock: MachineLockGuard,
    dying: &CancellationToken,
) -> Result<Ended, UniterError> {
    let code = match config
        .process
        .sandbox()
        .load(&config.connection, charm.files())
        .await
    {
        Ok(code) => code,
        Err(SandboxError::Charm(reason)) => {
            return Ok(Ended::Failed {
                code: "charm-not-loaded",
                reason,
                status_set: false,
            });
        }
        Err(SandboxError::Call(error)) => return Err(call("fetching the compiled charm")(error)),
    };
    let ask = GetHookSnapshot {
        unit: config.unit.clone(),
    };
    let snapshot = config
        .connection
        .call(&ask)
        .await
        .map_err(call("reading what the hook may see"))?;
    let room = tokio::select! {
        biased;
        () = dying.cancelled() => return Ok(Ended::BrokenOff),
        room = config.process.room().acquire_owned() => room,
    };
    let tether = Tether::default();
    let job = Job {
        call: hook_call(config, charm, hook, &snapshot),
        config_hash: snapshot.config_hash.clone(),
        context: Box::new(context(config, charm, snapshot, tether.clone())),
        state_directory: state_directory.clone(),
        generation,
        tether: tether.clone(),
    };
    let mut thread = tokio::task::spawn_blocking(move || {
        let _held = (machine_lock, room);
        job.work(&*code)
    });
    tokio::select! {
        ended = &mut thread => ended.map_err(|error| UniterError::Thread(error.to_string()))?,
        () = out_of_patience(config.process.clock(), dying, config) => {
            tether.severed.cancel();
            Ok(Ended::BrokenOff)
        }
    }
}

async fn out_of_patience(clock: &SharedClock, dying: &CancellationToken, config: &UniterConfig) {
    dying.cancelled().await;
    tokio::select! {
        () = config.connection.broken().cancelled_owned() => {}
        () = clock.sleep(GRACE) => {}
    }
}

/// What the hook's thread does.
struct Job {
    call: HookCall,
    config_hash: String,
    context: Box<dyn HookContext>,
    state_directory: StateDirectory,
    generation: u64,
    tether: Tether,
}

impl Job {
    fn work(mut self, code: &dyn RunnableCharm) -> Result<Ended, UniterError> {
        let stage = self.state_directory.stage(self.generation)?;
        self.call.directories.state = stage.path().to_owned();
        let result = code.run(self.call, self.context);
        let status_set = self.tether.status_set.load(Ordering::Acquire);
        match result {
            Ok(_) if self.tether.severed.is_cancelled() => Ok(Ended::BrokenOff),
            Ok(effects) => {
                let generation = stage.seal()?;
                failpoint::reach("uniter-after-execute");
                Ok(Ended::Well {
                    effects,
                    generation,
                    config_hash: self.config_hash,
                    status_set,
                })
            }
            Err(failure) => Ok(Ended::Failed {
                code: failure.code(),
                reason: failure.to_string(),
                status_set,
            }),
        }
    }
}

fn hook_call(
    config: &UniterConfig,
    charm: &Charm,
    hook: &Info,
    snapshot: &HookSnapshot,
) -> HookCall {
    HookCall {
        event: HookEvent::new(hook.kind.as_str()),
        environment: environment::variables(
            &config.unit,
            &config.model,
            snapshot.machine.as_ref(),
            snapshot.principal.as_ref(),
            hook.kind,
        ),
        directories: Directories {
            charm: charm.directory.clone(),
            // Known once the stage is made.
            state: config.process.temporary(),
            temporary: config.process.temporary(),
        },
        limits: snapshot.limits.clone(),
    }
}

fn context(
    config: &UniterConfig,
    charm: &Charm,
    snapshot: HookSnapshot,
    tether: Tether,
) -> UnitContext {
    UnitContext {
        unit: config.unit.clone(),
        model: config.model.clone(),
        options: charm.info.config.options.keys().cloned().collect(),
        snapshot,
        connection: config.connection.clone(),
        leadership: config.leadership.clone(),
        log: Arc::clone(config.process.log()),
        clock: config.process.clock().clone(),
        runtime: tokio::runtime::Handle::current(),
        tether,
    }
}
