//! The loop: snapshot, decision, operation, and rest until the snapshot changes.

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{
    Fatal, Guard, Kind, ResultExt, SharedClock, SharedWorker, TaskWorker, WorkerContext,
    WorkerError, WorkerResult,
};
use periapt_model::hook::Limits;
use periapt_model::proxy::ProxySettings;
use periapt_model::uniter::{
    Decision, OperationKind, Resolved, agent_failed, agent_leaving, resolve,
};
use periapt_model::{Life, MachineId, UnitName};
use periapt_wire::agent::retry_strategy::RetryStrategy;
use periapt_wire::agent::uniter::{EnsureUnitDead, SetUnitAgentStatus};
use periapt_wire::rpc::code;
use periapt_wire::{ApiConnection, CallError};
use serde_json::json;
use tokio::sync::watch;

use crate::error::UniterError;
use crate::executor::{Executor, NeededTurn, Outcome};
use crate::leadership::Leadership;
use crate::process::{ModelIdentity, Process};
use crate::remote::{RemoteWatcher, Sources};
use crate::turns::Turn as HookTurn;
use crate::waiting::Waiting;

/// How long a hook waits for file descriptors that others close.
const NO_DESCRIPTORS: Duration = Duration::from_secs(5);
/// How long a unit that cannot enter a relation, or whose charm is not compiled, waits for a
/// change before it asks again.
const NOT_YET: Duration = Duration::from_secs(60);
/// How long a unit at rest waits until it tries again to tell its containers what is committed.
const BEHIND: Duration = Duration::from_secs(5);

/// What a uniter is made from.
pub struct UniterConfig {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub connection: ApiConnection,
    pub process: Process,
    /// The machine the unit is on.
    pub machine: MachineId,
    pub leadership: Leadership,
    /// What a hook may use.
    pub limits: Limits,
    /// The right to open and close the charm's directory for others.
    pub charm_directory: Guard,
    pub retry: RetryStrategy,
    /// Time between two `update-status` hooks; zero for none.
    pub update_status: watch::Receiver<Duration>,
    /// What a hook finds in its environment.
    pub proxies: watch::Receiver<ProxySettings>,
}

/// The worker that runs a unit's charm.
pub struct Uniter;

impl Uniter {
    /// Starts it. It ends with `Fatal::TerminateAgent` once the unit is dead.
    pub fn start(config: UniterConfig) -> SharedWorker {
        TaskWorker::spawn(move |worker| async move {
            // In a frame of its own, so that a unit at rest keeps only the state it waits with.
            Box::pin(follow(Arc::new(config), worker)).await
        })
    }
}

/// Why the loop is left.
enum End {
    UnitDead,
    Terminate,
    Stopping,
}

/// Runs, and shows an error of its own as what it is: the engine starts the uniter again.
async fn follow(config: Arc<UniterConfig>, worker: WorkerContext) -> WorkerResult {
    let ended = run(config.clone(), worker).await;
    if let Err(error) = &ended
        && error.kind() == Kind::Other
        && !config.connection.broken().is_cancelled()
    {
        let set = SetUnitAgentStatus {
            unit: config.unit.clone(),
            status: agent_failed(&error.to_string()),
        };
        if let Err(untold) = config.connection.call(&set).await {
            tracing::warn!(unit = %config.unit, %untold, "could not show that the uniter failed");
        }
    }
    ended
}

/// What the loop works with.
struct Running {
    executor: Executor,
    remote: RemoteWatcher,
}

/// Reads what there is and waits for the unit's files; none when the unit is gone.
async fn start(
    config: &Arc<UniterConfig>,
    worker: &WorkerContext,
) -> Result<Option<Box<Running>>, WorkerError> {
    let begun = Executor::start(config.clone(), worker.clone());
    let mut executor = match worker.or_dying(begun).await? {
        Err(error) if error.is_not_found() => {
            let removed = config.process.remove_unit(&config.unit).await;
            removed.worker_error()?;
            return Ok(None);
        }
        executor => executor.worker_error()?,
    };
    let remote = worker
        .or_dying(RemoteWatcher::start(sources(config)))
        .await?
        .worker_error()?;
    if let Some(mut remote) = remote
        && files_are_there(&mut executor, &mut remote, worker).await?
    {
        return Ok(Some(Box::new(Running { executor, remote })));
    }
    executor.remove_files().await.worker_error()?;
    Ok(None)
}

/// The frame of this function is what a unit at rest weighs: what it does not rest in is boxed.
async fn run(config: Arc<UniterConfig>, worker: WorkerContext) -> WorkerResult {
    let Some(mut running) = Box::pin(start(&config, &worker)).await? else {
        return Err(Fatal::TerminateAgent.into());
    };
    let Running { executor, remote } = running.as_mut();
    executor.local.hears(remote.state());
    let mut started = Ok(true);
    loop {
        if !started.worker_error()? {
            return unit_gone(executor).await;
        }
        match turns(executor, remote, &worker).await {
            Ok(Some(End::UnitDead)) => {
                return Box::pin(die(&config, executor, remote, &worker)).await;
            }
            Ok(Some(End::Terminate)) => return Ok(()),
            Ok(Some(End::Stopping)) => return Err(WorkerError::Dying),
            Ok(None) => started = worker.or_dying(remote.restart()).await?,
            Err(Turn::Gone) => return unit_gone(executor).await,
            Err(Turn::Dying) => return Err(WorkerError::Dying),
            Err(Turn::Failed(UniterError::Fortress(_))) => return Err(WorkerError::Bounce),
            // A call of an earlier connection came through after all: all is read anew.
            Err(Turn::Failed(error)) if error.is_stale() => return Err(WorkerError::Bounce),
            // Removed by force in the middle of something.
            Err(Turn::Failed(error))
                if error.is_not_found() && !remote.refresh().await.worker_error()? =>
            {
                return unit_gone(executor).await;
            }
            Err(Turn::Failed(error)) => return Err(WorkerError::other(error)),
        }
    }
}

/// Waits for a person's answer where the files that the controller names are missing; false when
/// the unit is gone. `resolved` means to go on with the newest files there are, `resolved
/// --no-retry` with none.
async fn files_are_there(
    executor: &mut Executor,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> Result<bool, WorkerError> {
    if executor.misses_files() {
        executor.ask_about_files().await.worker_error()?;
        if !remote.refresh().await.worker_error()? {
            return Ok(false);
        }
    }
    // A dead unit needs no files.
    while executor.misses_files() && remote.state().life != Life::Dead {
        match remote.state().resolved {
            Resolved::None => {
                if !worker.or_dying(remote.changed()).await?.worker_error()? {
                    return Ok(false);
                }
                continue;
            }
            Resolved::RetryHooks => executor.answer_about_files(true).await,
            Resolved::NoHooks => executor.answer_about_files(false).await,
        }
        .worker_error()?;
        if !remote.refresh().await.worker_error()? {
            return Ok(false);
        }
    }
    Ok(true)
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
    let mut place: Option<Place> = None;
    loop {
        if worker.dying().is_cancelled() {
            return Ok(Some(End::Stopping));
        }
        executor.set_charm_directory().await?;
        if executor.hear_of_storage(remote.heard()) {
            executor.hand_over().await;
        }
        // Whoever hears of it finds the directory open.
        executor.stand(remote.heard());
        report(executor, worker);
        let decision = resolve(&executor.local, remote.state());
        if !matches!(decision, Decision::Run(_)) {
            place = None;
        }
        remote.retry_at(executor.retry_due());
        match decision {
            Decision::Run(operation) => {
                let waited = place.take();
                let needed = Box::pin(executor.needs_turn(&operation, remote.state()));
                let turn = match needed.await? {
                    None => None,
                    Some(needed) => {
                        let mut waits = match waited.and_then(|place| place.of(&needed)) {
                            Some(place) => place,
                            None => {
                                let turn = executor.line_up(&needed);
                                Place::new(turn, needed, &executor.clock())
                            }
                        };
                        if !waits.turn.has_come() {
                            executor.hand_over().await;
                            wait(&mut waits, executor, remote, worker).await?;
                            place = Some(waits);
                            // What was decided on may not be so any more.
                            continue;
                        }
                        Some(waits.turn)
                    }
                };
                // Not `or_dying`: what is begun with the controller is brought to an end.
                let heard = remote.heard().clone();
                let run = Box::pin(executor.run(&operation, &heard, turn));
                let outcome = run.await?;
                match outcome {
                    Outcome::BrokenOff => return Ok(Some(End::Stopping)),
                    Outcome::NotYet => {
                        executor.hand_over().await;
                        changed_or_late(NOT_YET, executor, remote, worker).await?;
                    }
                    Outcome::Later => {
                        executor.hand_over().await;
                        changed_or_late(NO_DESCRIPTORS, executor, remote, worker).await?;
                    }
                    Outcome::Failed if executor.local.operation.kind == OperationKind::Install => {
                        // The decision would be the same at once; it is tried again later.
                        remote.retry_at(executor.retry_due());
                        changed(remote, worker).await?;
                    }
                    Outcome::Answered
                    | Outcome::Committed
                    | Outcome::Failed
                    | Outcome::Rebooting => match executor.take_told() {
                        Some((news, leads_until)) => remote.accept(news, leads_until),
                        None if !remote.refresh().await? => return Err(Turn::Gone),
                        None => {}
                    },
                }
            }
            Decision::NoOperation => {
                executor.hand_over().await;
                executor.drop_outdated().await?;
                executor.show_rest().await?;
                remote.retry_at(executor.retry_due());
                match executor.is_behind() {
                    true => changed_or_late(BEHIND, executor, remote, worker).await?,
                    false => changed(remote, worker).await?,
                }
            }
            Decision::Waiting => {
                executor.hand_over().await;
                match executor.local.goes_down(remote.state()) {
                    true => executor.show_rebooting().await?,
                    false => executor.show_storage_to_come(remote.state()).await?,
                }
                changed(remote, worker).await?;
            }
            Decision::Restart => {
                executor.local.restart = false;
                return Ok(None);
            }
            Decision::Dead => return Ok(Some(End::UnitDead)),
            Decision::Terminate => return Ok(Some(End::Terminate)),
        }
    }
}

/// A place in the queue of hooks.
struct Place {
    turn: HookTurn,
    needed: NeededTurn,
    waiting: Waiting,
}

impl Place {
    fn new(turn: HookTurn, needed: NeededTurn, clock: &SharedClock) -> Self {
        Self {
            turn,
            needed,
            waiting: Waiting::begin(clock),
        }
    }

    /// The same place for another hook, if it is another; none for one that takes another lock.
    fn of(mut self, needed: &NeededTurn) -> Option<Self> {
        if self.needed.lock != needed.lock {
            return None;
        }
        if self.needed.name != needed.name {
            self.turn.rename(&needed.name);
            self.needed.name.clone_from(&needed.name);
        }
        Some(self)
    }
}

/// Waits until the turn has come or the snapshot has changed, and shows what it waits for. The
/// snapshot is the newest one afterwards.
async fn wait(
    place: &mut Place,
    executor: &mut Executor,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> Result<(), Turn> {
    loop {
        let come = tokio::select! {
            changed = changed(remote, worker) => return changed,
            come = place.waiting.ends(&place.turn) => come,
        };
        if come {
            // The watcher has told of nothing, and what it does not tell of may be as old as this.
            return match remote.is_fresh() || remote.refresh().await? {
                true => Ok(()),
                false => Err(Turn::Gone),
            };
        }
        if let Some(waits_for) = place.turn.waits_for() {
            executor.show_waiting(waits_for).await?;
        }
        place.waiting.shown();
    }
}

/// Waits for a change, and no longer than `patience`.
async fn changed_or_late(
    patience: Duration,
    executor: &Executor,
    remote: &mut RemoteWatcher,
    worker: &WorkerContext,
) -> Result<(), Turn> {
    tokio::select! {
        changed = changed(remote, worker) => return changed,
        () = executor.clock().sleep(patience) => {}
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
            Err(CallError::Refused {
                code: refusal,
                message,
            }) if refusal == code::TRY_AGAIN => {
                executor
                    .show(agent_leaving(&message))
                    .await
                    .worker_error()?;
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
    let (kind, step, leader) = (state.kind, state.step, state.leader);
    let (hook, charm) = (state.hook.clone(), state.charm_url.clone());
    // Made when somebody asks: with every hook there is another one, and nobody looks at most.
    worker.report_from(move || {
        json!({
            "operation": kind,
            "step": step,
            "hook": hook.as_ref().map(periapt_model::hook::Info::name),
            "charm": charm,
            "leader": leader,
        })
    });
}

fn sources(config: &UniterConfig) -> Sources {
    Sources {
        unit: config.unit.clone(),
        connection: config.connection.clone(),
        leadership: config.leadership.clone(),
        update_status: config.update_status.clone(),
        clock: config.process.clock().clone(),
        randomness: config.process.randomness().clone(),
    }
}
