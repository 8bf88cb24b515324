//! Takes operations through prepare, execute and commit, and writes to the controller between
//! the steps. Every state written here is one that the resolver can go on from after a crash.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use periapt_contract::workload::Committed;
use periapt_engine::{SharedClock, WorkerContext};
use periapt_model::status::{Agent, Status};
use periapt_model::turns::{Lock, WaitsFor};
use periapt_model::uniter::{
    Attempted, Failure, LocalState, Operation, OperationKind, OperationState, RemoteState,
    Resolved, agent_files_missing, agent_hook_failed, agent_idle, agent_waiting,
};
use periapt_wire::Call;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{GetState, News, SetState, SetUnitAgentStatus};

use crate::charms::Charm;
use crate::context;
use crate::error::{UniterError, call, file};
use crate::files::blocking;
use crate::hook::{self, Ended};
use crate::process::Running;
use crate::remote::Heard;
use crate::retries::Retries;
use crate::settings::KnownSettings;
use crate::snapshot::Kept;
use crate::standing::Standing;
use crate::state_directory::{Settled, StateDirectory};
use crate::turns::{Pauses, Turn};
use crate::worker::UniterConfig;

mod begin;
mod conclusion;
mod containers;
mod hooks;
mod mounts;
mod outdated;
mod reboot;
mod tasks;

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Committed,
    /// The recorded state tells what failed; what follows is the resolver's decision.
    Failed,
    /// The unit cannot enter the scope of a relation yet, or its charm is being compiled. Nothing
    /// has happened, and a change tells when it can.
    NotYet,
    /// A person answered a failed hook in between; nothing has begun.
    Answered,
    /// There were no file descriptors for it, or its storage is not mounted yet. Nothing has happened, and it is
    /// tried again later.
    Later,
    /// The hook asked for a reboot at once, and is queued to be run again after it.
    Rebooting,
    /// The agent stops.
    BrokenOff,
}

/// The unit's recorded state and everything needed to change it.
pub(crate) struct Executor {
    config: Arc<UniterConfig>,
    worker: WorkerContext,
    state_directory: StateDirectory,
    pub local: LocalState,
    /// The sequence of the state that the controller has recorded last.
    sequence: u64,
    /// That state, while a hook runs of which only this machine knows.
    unrecorded: Option<OperationState>,
    /// None if it is too much to be kept.
    kept: Option<Arc<Kept>>,
    /// What was committed of the unit's containers.
    containers: Arc<BTreeMap<String, Committed>>,
    handed_over: Option<containers::HandedOver>,
    attachments: containers::Attachments,
    mounts: mounts::Mounts,
    shown: Option<Status<Agent>>,
    /// Why the recorded hook failed.
    reason: Option<String>,
    /// What it asked for that its application was not granted.
    refused: Option<String>,
    retries: Retries,
    /// When the turn of the hook at hand came, how long it had waited for it, and how long it has waited
    /// since, for a place to go on.
    begun: Duration,
    waited: Duration,
    pauses: Pauses,
    /// What the controller said of the unit as the last hook was committed, and until when the
    /// unit was known to lead before that.
    told: Option<(News, Option<Duration>)>,
    settings: KnownSettings,
    missing: Option<Missing>,
    /// The hook at hand was put back because the charm is not compiled.
    awaits_code: bool,
    /// There are files of before that have yet to be given up.
    outdated: bool,
    _running: Running,
}

/// In which turn something is to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NeededTurn {
    /// As the charm knows it.
    pub name: String,
    pub lock: Lock,
}

/// The generation of the state directory that is recorded is not there.
struct Missing {
    newest: Option<u64>,
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.config.process.standings().leave(&self.config);
    }
}

impl Executor {
    /// Reads what is recorded and clears away what a crash left.
    pub async fn start(
        config: Arc<UniterConfig>,
        worker: WorkerContext,
    ) -> Result<Self, UniterError> {
        // Before it is known to be there: what is decided about a unit that is gone is decided
        // then or after it ended.
        let running = config.process.running(&config.unit);
        let ask = GetState {
            unit: config.unit.clone(),
        };
        let mut recorded = config
            .connection
            .call(&ask)
            .await
            .map_err(call("reading the recorded operation"))?;
        let (sequence, shown) = (recorded.sequence, recorded.agent.clone());
        let mut local = LocalState::recorded(recorded.operation.clone());
        local.unit = Some(config.unit.clone());
        local.hook_was_interrupted = config
            .process
            .was_interrupted(&config.unit, &local.operation);
        let state_directory = config.process.state_directory(&config.unit);
        let (directory, generation) = (state_directory.clone(), local.operation.state_generation);
        let settled = blocking(move || directory.settle(generation)).await?;
        let before = match (&shown, local.operation.failed_hook()) {
            (Some(agent), Some(hook)) => Failure::in_status(agent, hook),
            _ => Failure::default(),
        };
        let process = &config.process;
        let (clock, randomness) = (process.clock().clone(), process.randomness().clone());
        let containers = Arc::new(std::mem::take(&mut recorded.containers));
        let kept = Kept::of(recorded);
        let mut executor = Self {
            retries: Retries::new(config.retry.clone(), clock, randomness),
            config,
            worker,
            state_directory,
            local,
            sequence,
            unrecorded: None,
            kept: kept.stays().then(|| Arc::new(kept)),
            containers,
            handed_over: None,
            attachments: containers::Attachments::default(),
            mounts: mounts::Mounts::default(),
            shown,
            reason: before.reason,
            refused: before.refused,
            begun: Duration::ZERO,
            waited: Duration::ZERO,
            pauses: Pauses::default(),
            told: None,
            settings: KnownSettings::default(),
            missing: match settled {
                Settled::Ready => None,
                Settled::Missing { newest } => Some(Missing { newest }),
            },
            awaits_code: false,
            outdated: false,
            _running: running,
        };
        executor.record_unfinished().await?;
        Ok(executor)
    }

    /// Records that a hook was running, if it was and an earlier process died in it: what it did
    /// until then nobody knows, and it is in error until it is tried again.
    async fn record_unfinished(&mut self) -> Result<(), UniterError> {
        let UniterConfig { process, unit, .. } = &*self.config;
        let found = process
            .intents()
            .unfinished(unit, self.sequence, &self.local.operation);
        let Some(hook) = found else {
            return Ok(());
        };
        match (Operation::RunHook { hook }).prepare(&self.local.operation)? {
            Some(running) => self.write(running, false).await,
            None => Ok(()),
        }
    }

    /// The turn in which `operation` runs a hook or a task, if the charm has it.
    pub async fn needs_turn(
        &self,
        operation: &Operation,
        remote: &RemoteState,
    ) -> Result<Option<NeededTurn>, UniterError> {
        let UniterConfig { unit, machine, .. } = &*self.config;
        let needed = match operation {
            Operation::RunHook { hook } => NeededTurn {
                name: hook.name(),
                lock: Lock::Machine(machine.clone()),
            },
            Operation::RunTask { task } => NeededTurn {
                name: task.dispatch.clone(),
                lock: Lock::of(unit, machine, &task.beside),
            },
            _ => return Ok(None),
        };
        let charm = self.charm_of_hooks(remote).await?;
        Ok(charm.implements(&needed.name).then_some(needed))
    }

    /// A place in the queue of hooks.
    pub fn line_up(&self, needed: &NeededTurn) -> Turn {
        let NeededTurn { name, lock } = needed;
        let turns = self.config.process.turns();
        turns.line_up(&self.config.unit, lock.clone(), name)
    }

    /// Whether the unit's files are not there, so that nothing can be run.
    pub fn misses_files(&self) -> bool {
        self.missing.is_some()
    }

    /// Shows that the unit's files are missing and how to answer. An answer that was given to
    /// something else does not count.
    pub async fn ask_about_files(&mut self) -> Result<(), UniterError> {
        let Some(missing) = &self.missing else {
            return Ok(());
        };
        let generation = self.local.operation.state_generation;
        let status = agent_files_missing(generation, missing.newest);
        self.log("ERROR", &status.message);
        self.write(self.local.operation.clone(), true).await?;
        self.show(status).await
    }

    /// Goes on with the newest files there are, or without any.
    pub async fn answer_about_files(&mut self, newest: bool) -> Result<(), UniterError> {
        let Some(missing) = &self.missing else {
            return Ok(());
        };
        let generation = self.local.operation.state_generation;
        let taken = missing.newest.filter(|_| newest);
        let directory = self.state_directory.clone();
        let settled = blocking(move || {
            directory.adopt(taken, generation)?;
            directory.settle(generation)
        });
        settled.await?;
        self.log(
            "WARNING",
            &match taken {
                Some(newest) => format!(
                    "goes on with generation {newest} of its state directory in place of {generation}"
                ),
                None => format!(
                    "goes on with an empty state directory in place of generation {generation}"
                ),
            },
        );
        self.missing = None;
        self.write(self.local.operation.clone(), true).await
    }

    /// Carries out `operation`, which was decided on with what was `heard`, in the turn that a hook
    /// which the charm has needs.
    pub async fn run(
        &mut self,
        operation: &Operation,
        heard: &Heard,
        turn: Option<Turn>,
    ) -> Result<Outcome, UniterError> {
        let remote = &heard.state;
        if remote.resolved == Resolved::RetryHooks && operation.takes_answer() {
            // Whatever fails after a person said to try again begins to be retried anew.
            self.retries.over();
        }
        // What has failed is tried again when it would have been, whatever task is run before.
        if !matches!(
            operation,
            Operation::RunTask { .. } | Operation::EndTask { .. }
        ) {
            self.retries.begins();
        }
        self.local.begin(operation, remote);
        match (operation, turn) {
            (Operation::RunHook { hook }, Some(turn)) => {
                self.run_hook(operation, hook, heard, turn).await
            }
            (Operation::RunHook { hook }, None) => {
                self.run_missing_hook(operation, hook, heard).await
            }
            (Operation::Deploy { deploy, .. }, _) => {
                // A first charm has nothing before it to go back to: what is not done is begun anew.
                let told = !deploy.install || remote.resolved != Resolved::None;
                if told && let Some(state) = operation.prepare(&self.local.operation)? {
                    self.write(state, operation.takes_answer()).await?;
                }
                self.set_charm_directory().await?;
                self.deploy(operation, &deploy.charm_url).await
            }
            (Operation::SkipHook { hook, .. }, _) => self.finish(operation, hook, heard).await,
            (Operation::AcceptLeadership | Operation::ResignLeadership, _) => {
                self.commit(operation).await
            }
            (Operation::RunTask { task }, turn) => self.run_task(task, heard, turn).await,
            (Operation::EndTask { task }, _) => self.end_broken_off(task).await,
        }
    }

    /// When what failed is tried again without being asked, on the clock's monotonic time.
    pub fn retry_due(&self) -> Option<Duration> {
        self.retries.due().map(|due| due.monotonic)
    }

    pub fn clock(&self) -> SharedClock {
        self.config.process.clock().clone()
    }

    /// What the controller said of the unit in its last answer; none if it did not say.
    pub fn take_told(&mut self) -> Option<(News, Option<Duration>)> {
        self.told.take()
    }

    /// Shows that the unit is at rest, or why it is not.
    pub async fn show_rest(&mut self) -> Result<(), UniterError> {
        match self.local.operation.failed_hook().cloned() {
            Some(hook) => {
                self.retries.rests(Attempted::Hook(hook.clone()));
                let status = agent_hook_failed(&hook, &self.failure(None));
                self.show(status).await
            }
            None => self.show(agent_idle()).await,
        }
    }

    /// Shows what the next hook waits for. A failed hook goes on to be shown as failed, so that it
    /// can be answered.
    pub async fn show_waiting(&mut self, waits_for: WaitsFor) -> Result<(), UniterError> {
        let status = match self.local.operation.failed_hook() {
            Some(hook) => agent_hook_failed(hook, &self.failure(Some(waits_for))),
            None => agent_waiting(&waits_for),
        };
        self.show(status).await
    }

    fn failure(&self, waits_for: Option<WaitsFor>) -> Failure {
        // One that waits for its turn is due already.
        let due = self.retries.due().filter(|_| waits_for.is_none());
        Failure {
            reason: self.reason.clone(),
            refused: self.refused.clone(),
            next_retry: due.map(|due| due.at),
            waits_for,
        }
    }

    /// Says what may be run beside the hooks.
    pub fn stand(&self, heard: &Heard) {
        let operation = &self.local.operation;
        let url = operation.charm_url.as_ref();
        let standing = url
            .filter(|_| operation.charm_directory_available())
            .map(|url| Standing {
                charm_url: url.clone(),
                generation: operation.state_generation,
                principal: heard.view.principal.clone(),
                withheld: heard.view.withheld.clone(),
            });
        let meter = heard.view.meter.as_ref();
        let standings = self.config.process.standings();
        standings.stand(&self.config, standing, meter);
    }

    /// Opens or closes the charm's directory for others, as the recorded state says.
    pub async fn set_charm_directory(&self) -> Result<(), UniterError> {
        let guard = &self.config.charm_directory;
        if self.local.operation.charm_directory_available() {
            guard.unlock()?;
        } else {
            guard.lockdown(self.worker.dying()).await?;
        }
        Ok(())
    }

    /// Removes what the unit has on this machine.
    pub async fn remove_files(&self) -> Result<(), UniterError> {
        let directory = self.state_directory.clone();
        let unit = self.config.process.unit_directory(&self.config.unit);
        // What a subordinate shares is its principal's, and stays.
        let shared = self.config.process.shared_directory(&self.config.unit);
        self.config.process.intents().withdraw(&self.config.unit);
        self.config.process.standings().forget(&self.config.unit);
        self.config.process.resources().forget(&self.config.unit);
        let (workloads, name) = (
            self.config.process.workloads().clone(),
            self.config.unit.clone(),
        );
        blocking(move || {
            workloads.want_nothing(&name)?;
            directory.remove()?;
            periapt_files::remove(&shared).map_err(file("remove", &shared))?;
            periapt_files::remove(&unit).map_err(file("remove", &unit))
        })
        .await
    }

    async fn deploy(&mut self, operation: &Operation, url: &str) -> Result<Outcome, UniterError> {
        let placed = match (self.charm(url).await, operation) {
            // A first charm has none before it that could stay.
            (Ok(charm), Operation::Deploy { deploy, .. }) if !deploy.install => {
                self.require_code(&charm).await
            }
            (placed, _) => placed.map(drop),
        };
        match placed {
            Ok(()) => self.commit(operation).await,
            Err(error @ UniterError::Charm { .. }) => {
                self.log("ERROR", &error.to_string());
                self.local.conflicted = true;
                if self.local.operation.kind == OperationKind::Install {
                    // Nobody decides otherwise when nothing runs yet.
                    self.retries.failed(Attempted::Charm(url.to_owned()));
                }
                let text = match operation {
                    Operation::Deploy { deploy, .. } if deploy.install => {
                        "charm cannot be installed"
                    }
                    _ => "upgrade failed",
                };
                let mut status = Status::new(Agent::Error, text);
                status
                    .data
                    .insert("reason".to_owned(), error.to_string().into());
                self.show(status).await?;
                Ok(Outcome::Failed)
            }
            Err(error) => Err(error),
        }
    }

    /// Refuses a charm whose code cannot be loaded here. Code that may be there later is waited for by
    /// the hook that needs it.
    async fn require_code(&self, charm: &Charm) -> Result<(), UniterError> {
        match hook::load(&self.config, charm).await {
            Ok(Err(Ended::Failed { reason, .. })) => Err(UniterError::Charm {
                url: charm.info.url.to_string(),
                reason,
            }),
            Err(error @ UniterError::Charm { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    async fn commit(&mut self, operation: &Operation) -> Result<Outcome, UniterError> {
        let state = operation.commit(&self.local.operation)?;
        self.write(state.clone(), false).await?;
        self.local.committed(operation, state);
        if matches!(operation, Operation::Deploy { .. }) {
            self.retries.over();
        }
        Ok(Outcome::Committed)
    }

    /// Shows a status unless it is shown already.
    pub async fn show(&mut self, status: Status<Agent>) -> Result<(), UniterError> {
        if !self.shows(&status) {
            let unit = self.config.unit.clone();
            let set = SetUnitAgentStatus {
                unit,
                status: status.clone(),
            };
            self.call(&set, "setting the agent status").await?;
            self.shown = Some(status);
        }
        Ok(())
    }

    fn shows(&self, status: &Status<Agent>) -> bool {
        self.shown.as_ref().is_some_and(|shown| {
            (shown.status, &shown.message, &shown.data)
                == (status.status, &status.message, &status.data)
        })
    }

    /// The charm whose hooks run now.
    async fn charm_of_hooks(&self, remote: &RemoteState) -> Result<Arc<Charm>, UniterError> {
        let in_place = self.local.operation.charm_url.as_deref();
        self.charm(in_place.unwrap_or(&remote.charm_url)).await
    }

    async fn charm(&self, url: &str) -> Result<Arc<Charm>, UniterError> {
        self.config
            .process
            .charms()
            .get(&self.config.connection, url)
            .await
    }

    async fn write(
        &mut self,
        state: OperationState,
        takes_answer: bool,
    ) -> Result<(), UniterError> {
        let set = SetState {
            unit: self.config.unit.clone(),
            from: self.sequence,
            operation: state.clone(),
            takes_answer,
        };
        self.call(&set, "recording the operation").await?;
        self.recorded();
        self.local.operation = state;
        Ok(())
    }

    /// The controller has recorded another state.
    fn recorded(&mut self) {
        self.sequence += 1;
        self.unrecorded = None;
    }

    async fn call<C: Call>(
        &self,
        request: &C,
        doing: &'static str,
    ) -> Result<C::Reply, UniterError> {
        self.config
            .connection
            .call(request)
            .await
            .map_err(call(doing))
    }

    fn log(&self, level: &str, message: &str) {
        self.config.process.log().write(self.line(level, message));
    }

    fn line(&self, level: &str, message: &str) -> LogRecord {
        let clock = self.config.process.clock();
        context::record(clock, &self.config.unit, "uniter", level, message)
    }
}
