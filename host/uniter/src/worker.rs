//! The loop: snapshot, decision, operation, and rest until the snapshot changes.

use std::sync::Arc;
use std::time::Duration;

use periapt_client::ApiConnection;
use periapt_engine::{
    Fatal, Guard, ResultExt, SharedClock, SharedWorker, TaskWorker, WorkerContext, WorkerError,
    WorkerResult,
};
use periapt_model::UnitName;
use periapt_model::uniter::{Decision, OperationKind, resolve};
use periapt_wire::agent::retry_strategy::RetryStrategy;
use periapt_wire::agent::uniter::EnsureUnitDead;
use periapt_wire::rpc::code;
use serde_json::json;
use tokio::sync::watch;

use crate::error::UniterError;
use crate::executor::{Executor, Outcome};
use crate::leadership::Leadership;
use crate::machine_lock::MachineLock;
use crate::process::{ModelIdentity, Process};
use crate::remote::{RemoteWatcher, Sources};

/// How long a unit that cannot enter a relation waits for a change before it asks again.
const NOT_YET: Duration = Duration::from_secs(60);

/// What a uniter is made from.
pub struct UniterConfig {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub connection: ApiConnection,
    pub process: Process,
    /// The lock of the machine the unit is on.
    pub machine_lock: MachineLock,
    pub leadership: Leadership,
    /// The right to open and close the charm's directory for others.
    pub charm_directory: Guard,
    pub retry: RetryStrategy,
    /// Time between two `update-status` hooks; zero for none.
    pub update_status: watch::Receiver<Duration>,
}

/// The worker that runs a unit's charm.
pub struct Uniter;

impl Uniter {
    /// Starts it. It ends with `Fatal::TerminateAgent` once the unit is dead.
    pub fn start(config: UniterConfig) -> SharedWorker {
        TaskWorker::spawn(move |worker| async move {
            // Off this frame, so that a unit at rest keeps only what it waits for.
            Box::pin(run(Arc::new(config), worker)).await
        })
    }
}

/// Why the loop is left.
enum End {
    UnitDead,
    Terminate,
    Stopping,
}

async fn run(config: Arc<UniterConfig>, worker: WorkerContext) -> WorkerResult {
    let executor = worker
        .or_dying(Executor::start(config.clone(), worker.clone()))
        .await?;
    let mut executor = match executor {
        Err(error) if error.is_not_found() => {
            let removed = config.process.remove_unit(&config.unit).await;
            removed.worker_error()?;
            return Err(Fatal::TerminateAgent.into());
        }
        executor => executor.worker_error()?,
    };
    let remote = worker
        .or_dying(RemoteWatcher::start(sources(&config)))
        .await?
        .worker_error()?;
    let Some(mut remote) = remote else {
        return unit_gone(&executor).await;
    };
    let mut started = Ok(true);
    loop {
        if !started.worker_error()? {
            return unit_gone(&executor).await;
        }
        match turns(&mut executor, &mut remote, &worker).await {
            Ok(Some(End::UnitDead)) => {
                return die(&config, &mut executor, &mut remote, &worker).await;
            }
            Ok(Some(End::Terminate)) => return Ok(()),
            Ok(Some(End::Stopping)) => return Err(WorkerError::Dying),
            Ok(None) => started = worker.or_dying(remote.restart()).await?,
            Err(Turn::Gone) => return unit_gone(&executor).await,
            Err(Turn::Dying) => return Err(WorkerError::Dying),
            Err(Turn::Failed(UniterError::Fortress(_))) => return Err(WorkerError::Bounce),
            // Removed by force in the middle of something.
            Err(Turn::Failed(error))
                if error.is_not_found() && !remote.refresh().await.worker_error()? =>
            {
                return unit_gone(&executor).await;
            }
            Err(Turn::Failed(error)) => return Err(WorkerError::other(error)),
        }
    }
}

/// Why a turn was not finished.
enum Turn {
    Gone,
    Dying,
    Failed(UniterError),
}

impl From<UniterError> for Turn {
    fn from(error: UniterError) -> Self {
        Turn::Failed(error)
    }
}

/// Runs operations until the loop has to be left (`Some`) or begun anew (`None`).
async fn turns(
    executor: &mut Executor,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> Result<Option<End>, Turn> {
    loop {
        if worker.dying().is_cancelled() {
            return Ok(Some(End::Stopping));
        }
        executor.set_charm_directory().await?;
        report(executor, worker);
        match resolve(&executor.local, remote.state()) {
            Decision::Run(operation) => {
                // Not `or_dying`: what is begun with the controller is brought to an end.
                let outcome = executor.run(&operation, &remote.state().clone()).await?;
                match outcome {
                    Outcome::BrokenOff => return Ok(Some(End::Stopping)),
                    Outcome::NotYet => changed_or_late(executor.clock(), remote, worker).await?,
                    Outcome::Failed if executor.local.operation.kind == OperationKind::Install => {
                        // The decision would be the same at once; it is tried again later.
                        remote.hook_failed(true);
                        changed(remote, worker).await?;
                    }
                    Outcome::Committed | Outcome::Failed => match executor.take_heard() {
                        Some(state) => remote.accept(state),
                        None if !remote.refresh().await? => return Err(Turn::Gone),
                        None => {}
                    },
                }
            }
            Decision::NoOperation => {
                executor.show_rest().await?;
                remote.hook_failed(executor.local.operation.failed_hook().is_some());
                changed(remote, worker).await?;
            }
            Decision::Waiting => changed(remote, worker).await?,
            Decision::Restart => {
                executor.local.restart = false;
                return Ok(None);
            }
            Decision::Dead => return Ok(Some(End::UnitDead)),
            Decision::Terminate => return Ok(Some(End::Terminate)),
        }
    }
}

/// Waits for a change, and no longer than a minute.
async fn changed_or_late(
    clock: SharedClock,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> Result<(), Turn> {
    tokio::select! {
        changed = changed(remote, worker) => return changed,
        () = clock.sleep(NOT_YET) => {}
    }
    match remote.refresh().await? {
        true => Ok(()),
        false => Err(Turn::Gone),
    }
}

async fn changed(remote: &mut RemoteWatcher, worker: &WorkerContext) -> Result<(), Turn> {
    match worker.or_dying(remote.changed()).await {
        Err(_) => Err(Turn::Dying),
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(Turn::Gone),
        Ok(Err(error)) => Err(Turn::Failed(error)),
    }
}

/// Makes the unit dead as soon as it has no subordinates, which ends the agent.
async fn die(
    config: &UniterConfig,
    executor: &mut Executor,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> WorkerResult {
    loop {
        let ensure = EnsureUnitDead {
            unit: config.unit.clone(),
        };
        match config.connection.call(&ensure).await {
            Ok(_) => return unit_gone(executor).await,
            Err(error) if error.is(code::NOT_FOUND) || error.is(code::DEAD) => {
                return unit_gone(executor).await;
            }
            Err(error) if error.is(code::TRY_AGAIN) => {
                if !worker.or_dying(remote.changed()).await?.worker_error()? {
                    return unit_gone(executor).await;
                }
            }
            Err(error) => return Err(error).while_doing("ending the unit's life"),
        }
    }
}

async fn unit_gone(executor: &Executor) -> WorkerResult {
    executor.remove_files().await.worker_error()?;
    Err(Fatal::TerminateAgent.into())
}

fn report(executor: &Executor, worker: &WorkerContext) {
    let state = &executor.local.operation;
    worker.set_report(json!({
        "operation": state.kind,
        "step": state.step,
        "hook": state.hook.as_ref().map(periapt_model::hook::Info::name),
        "charm": state.charm_url,
        "leader": state.leader,
    }));
}

fn sources(config: &UniterConfig) -> Sources {
    Sources {
        unit: config.unit.clone(),
        connection: config.connection.clone(),
        standing: config.leadership.subscribe(),
        retry: config.retry.clone(),
        update_status: config.update_status.clone(),
        clock: config.process.clock().clone(),
        randomness: config.process.randomness().clone(),
    }
}
