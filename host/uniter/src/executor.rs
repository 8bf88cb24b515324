//! Takes operations through prepare, execute and commit, and writes to the controller between
//! the steps. Every state written here is one that the resolver can go on from after a crash.

use std::sync::Arc;
use std::time::Duration;

use periapt_client::CallError;
use periapt_engine::{SharedClock, WorkerContext, clock, failpoint};
use periapt_model::hook::{Effects, Info, Kind};
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{
    Decision, Executed, LocalState, Operation, OperationState, RemoteState, agent_executing,
    agent_hook_failed, agent_idle, resolve, workload_after, workload_before,
};
use periapt_wire::Call;
use periapt_wire::agent::uniter::{
    BeginHook, ClearResolved, CommitHook, FailHook, GetState, HookCommitted, HookReport,
    SetCharmUrl, SetState, SetUnitAgentStatus,
};
use tokio::sync::OwnedSemaphorePermit;

use crate::charms::Charm;
use crate::context;
use crate::error::{UniterError, call};
use crate::files::blocking;
use crate::hook::{self, Ended};
use crate::machine_lock::MachineLockGuard;
use crate::process::Running;
use crate::settings::KnownSettings;
use crate::state_directory::StateDirectory;
use crate::worker::UniterConfig;

/// How long a stopping agent tries to tell the controller that it broke a hook off.
const FAREWELL: Duration = Duration::from_secs(3);

/// How an operation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Committed,
    /// The recorded state tells what failed; what follows is the resolver's decision.
    Failed,
    /// The unit cannot enter the scope of a relation yet; nothing has begun.
    NotYet,
    /// The agent stops.
    BrokenOff,
}

/// The unit's recorded state and everything needed to change it.
pub(crate) struct Executor {
    config: Arc<UniterConfig>,
    worker: WorkerContext,
    state_directory: StateDirectory,
    pub local: LocalState,
    shown: Option<Status<Agent>>,
    failure: Option<String>,
    /// When the hook at hand was chosen.
    chosen: Duration,
    /// What the controller said of the unit as the last hook was committed.
    heard: Option<RemoteState>,
    settings: KnownSettings,
    _running: Running,
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
        let recorded = config
            .connection
            .call(&ask)
            .await
            .map_err(call("reading the recorded operation"))?;
        let mut local = LocalState::recorded(recorded.operation);
        local.unit = Some(config.unit.clone());
        local.hook_was_interrupted = config
            .process
            .take_interrupted(&config.unit, &local.operation);
        let state_directory =
            StateDirectory::new(config.process.unit_directory(&config.unit).join("state"));
        let (directory, generation) = (state_directory.clone(), local.operation.state_generation);
        blocking(move || directory.settle(generation)).await?;
        Ok(Self {
            config,
            worker,
            state_directory,
            local,
            shown: None,
            failure: None,
            chosen: Duration::ZERO,
            heard: None,
            settings: KnownSettings::default(),
            _running: running,
        })
    }

    /// Carries out `operation`, which was decided on with `remote`.
    pub async fn run(
        &mut self,
        operation: &Operation,
        remote: &RemoteState,
    ) -> Result<Outcome, UniterError> {
        match operation {
            Operation::RunHook { hook, .. } => self.run_hook(operation, hook, remote).await,
            Operation::Deploy { deploy, .. } => {
                self.begin(operation, remote).await?;
                self.write_prepared(operation).await?;
                self.set_charm_directory().await?;
                self.deploy(operation, &deploy.charm_url).await
            }
            Operation::SkipHook { hook, .. } => {
                self.begin(operation, remote).await?;
                self.finish(operation, hook, remote).await
            }
            Operation::AcceptLeadership | Operation::ResignLeadership => {
                self.begin(operation, remote).await?;
                self.commit(operation).await
            }
        }
    }

    pub fn clock(&self) -> SharedClock {
        self.config.process.clock().clone()
    }

    /// What the controller said of the unit in its last answer; none if it did not say.
    pub fn take_heard(&mut self) -> Option<RemoteState> {
        self.heard.take()
    }

    /// Shows that the unit is at rest, or why it is not.
    pub async fn show_rest(&mut self) -> Result<(), UniterError> {
        match self.local.operation.failed_hook() {
            Some(hook) => {
                let status = agent_hook_failed(hook, self.failure.as_deref());
                self.show(status).await
            }
            None => self.show(agent_idle()).await,
        }
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
        // Those of a subordinate's container are its principal's, and stay.
        let container = self.config.process.container_directory(&self.config.unit);
        blocking(move || {
            directory.remove()?;
            crate::files::remove(&container).map_err(crate::error::file("remove", &container))?;
            crate::files::remove(&unit).map_err(crate::error::file("remove", &unit))
        })
        .await
    }

    async fn begin(
        &mut self,
        operation: &Operation,
        remote: &RemoteState,
    ) -> Result<(), UniterError> {
        if operation.clears_resolved() {
            self.call(
                &ClearResolved {
                    unit: self.config.unit.clone(),
                },
                "clearing the resolved flag",
            )
            .await?;
        }
        self.local.begin(operation, remote);
        Ok(())
    }

    async fn write_prepared(&mut self, operation: &Operation) -> Result<(), UniterError> {
        if let Some(state) = operation.prepare(&self.local.operation)? {
            self.write(state).await?;
        }
        Ok(())
    }

    async fn deploy(&mut self, operation: &Operation, url: &str) -> Result<Outcome, UniterError> {
        match self.charm(url).await {
            Ok(_) => {
                let unit = self.config.unit.clone();
                self.call(
                    &SetCharmUrl {
                        unit,
                        charm_url: url.to_owned(),
                    },
                    "recording the charm in place",
                )
                .await?;
                self.commit(operation).await
            }
            Err(error @ UniterError::Charm { .. }) => {
                self.log("ERROR", &error.to_string());
                self.local.conflicted = true;
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

    async fn run_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
    ) -> Result<Outcome, UniterError> {
        self.chosen = self.config.process.clock().monotonic();
        let url = self
            .local
            .operation
            .charm_url
            .clone()
            .unwrap_or_else(|| remote.charm_url.clone());
        let charm = self.charm(&url).await?;
        if !charm.implements(&info.name()) {
            return self.run_missing_hook(operation, info, remote).await;
        }
        let lock = self
            .config
            .machine_lock
            .acquire(format!("{}: {operation}", self.config.unit));
        let Ok(lock) = self.worker.or_dying(lock).await else {
            return Ok(Outcome::BrokenOff);
        };
        let room = self.config.process.room().acquire_owned();
        let Ok(Ok(room)) = self.worker.or_dying(room).await else {
            return Ok(Outcome::BrokenOff);
        };
        self.begin(operation, remote).await?;
        failpoint::reach("uniter-before-prepare");
        let outcome = self
            .run_locked(operation, info, remote, &charm, lock, room)
            .await;
        if outcome.is_err()
            && let Some(pending) = operation.prepare(&self.local.operation)?
        {
            // Whatever went wrong, it was not the charm's doing. Should the hook be committed
            // after all, the record will not be pending, and this is forgotten.
            self.config
                .process
                .remember_interrupted(&self.config.unit, pending);
        }
        outcome
    }

    /// The record that the hook begins, the copy of its state and the loading of its code go on
    /// side by side; the guest waits for all three.
    async fn run_locked(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        charm: &Charm,
        lock: MachineLockGuard,
        room: OwnedSemaphorePermit,
    ) -> Result<Outcome, UniterError> {
        let state = self.local.operation.clone();
        let prepared = operation.prepare(&state)?.unwrap_or(state);
        let generation = prepared.state_generation;
        let starting = hook::start(&self.state_directory, generation, lock, room);
        let executing = agent_executing(info);
        let begin = BeginHook {
            unit: self.config.unit.clone(),
            agent: executing.clone(),
            workload: workload_before(info.kind, &prepared),
            operation: prepared.clone(),
        };
        let (begun, loaded) = tokio::join!(
            self.call(&begin, "recording that the hook begins"),
            hook::load(&self.config, charm)
        );
        let snapshot = match begun {
            Err(error) if cannot_enter(info, &error) => return Ok(Outcome::NotYet),
            begun => begun?,
        };
        self.local.operation = prepared;
        self.shown = executing.or(self.shown.take());
        failpoint::reach("uniter-after-prepare");
        self.set_charm_directory().await?;
        let config = self.config.clone();
        self.settings.begin(remote);
        let around = hook::Surroundings {
            relations: context::relations(&self.local.operation, info),
            settings: self.settings.clone(),
        };
        let dying = self.worker.dying().clone();
        let ended = match loaded? {
            Ok(code) => {
                starting
                    .run(&config, charm, code, info, around, snapshot, &dying)
                    .await?
            }
            Err(ended) => ended,
        };
        match ended {
            Ended::Well {
                effects,
                generation,
                config_hash,
                status_set,
                mut told,
            } => {
                told.extend(effects.in_words());
                if generation != self.local.operation.state_generation {
                    told.push("files of its state directory".to_owned());
                }
                let executed = Executed {
                    config_hash,
                    leader_settings_version: remote.leader_settings_version,
                    state_generation: generation,
                    status_set,
                };
                let run = self.report(info, "", String::new(), told);
                self.commit_hook(operation, info, remote, &executed, effects, run)
                    .await
            }
            Ended::Failed {
                code,
                reason,
                status_set,
                told,
            } => self.hook_failed(info, code, reason, status_set, told).await,
            Ended::BrokenOff => {
                self.broken_off().await;
                Ok(Outcome::BrokenOff)
            }
        }
    }

    /// A hook that the charm does not implement: nothing runs, so one write does it all.
    async fn run_missing_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
    ) -> Result<Outcome, UniterError> {
        self.begin(operation, remote).await?;
        let state = self.local.operation.clone();
        let executed = Executed {
            config_hash: remote.config_hash.clone(),
            leader_settings_version: remote.leader_settings_version,
            state_generation: state.state_generation,
            status_set: false,
        };
        let prepared = operation.prepare(&state)?.unwrap_or(state);
        let done = operation.hook_done(&prepared, &executed);
        let (next, commit) = self.conclusion(operation, info, remote, &done)?;
        let committed = self.call(&commit, "recording a hook that the charm does not have");
        match committed.await {
            Err(error) if cannot_enter(info, &error) => return Ok(Outcome::NotYet),
            committed => self.concluded(operation, next, committed?),
        }
        Ok(Outcome::Committed)
    }

    async fn commit_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        executed: &Executed,
        effects: Effects,
        run: HookReport,
    ) -> Result<Outcome, UniterError> {
        let done = operation.hook_done(&self.local.operation, executed);
        let (next, commit) = self.conclusion(operation, info, remote, &done)?;
        let told = run.effects.clone();
        let commit = CommitHook {
            effects,
            run: Some(run),
            ..commit
        };
        let committed = match self.config.connection.call(&commit).await {
            Ok(committed) => committed,
            Err(CallError::Refused { message, .. }) => {
                self.drop_generations().await?;
                let reason = format!("its changes were refused: {message}");
                let told = told
                    .into_iter()
                    .filter(|effect| effect.contains(" to "))
                    .collect();
                return self
                    .hook_failed(info, "commit-refused", reason, executed.status_set, told)
                    .await;
            }
            Err(error) => return Err(call("committing the hook")(error)),
        };
        failpoint::reach("uniter-after-commit");
        self.log(
            "INFO",
            &format!(
                "ran \"{}\" hook in {:.3} ms",
                info.name(),
                self.took().as_secs_f64() * 1000.0
            ),
        );
        let other_files = self.local.operation.state_generation != executed.state_generation;
        self.concluded(operation, next, committed);
        failpoint::reach("uniter-before-finish");
        if other_files {
            self.drop_generations().await?;
        }
        Ok(Outcome::Committed)
    }

    /// The state after a hook that is done, and the commit that records it: the bookkeeping is in
    /// the same transaction, so there is no moment between the two at which an agent could die.
    fn conclusion(
        &self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        done: &OperationState,
    ) -> Result<(OperationState, CommitHook), UniterError> {
        let next = operation.commit(done)?;
        let mut local = self.local.clone();
        local.committed(operation, next.clone());
        let rests = resolve(&local, remote) == Decision::NoOperation;
        let commit = CommitHook {
            unit: self.config.unit.clone(),
            effects: Effects::default(),
            operation: next.clone(),
            workload: workload_after(info.kind, done),
            hook: moves(info, remote).then(|| info.clone()),
            run: None,
            idle_at: rests.then(|| remote.clone()),
        };
        Ok((next, commit))
    }

    fn concluded(&mut self, operation: &Operation, next: OperationState, committed: HookCommitted) {
        self.local.committed(operation, next);
        self.failure = None;
        if committed.idle {
            self.shown = Some(agent_idle());
        }
        self.heard = Some(committed.remote);
    }

    fn took(&self) -> Duration {
        let now = self.config.process.clock().monotonic();
        now.saturating_sub(self.chosen)
    }

    fn report(&self, info: &Info, code: &str, message: String, effects: Vec<String>) -> HookReport {
        let took = self.took();
        let now = self.config.process.clock().now().as_microsecond();
        let took = i64::try_from(took.as_micros()).unwrap_or(i64::MAX);
        HookReport {
            hook: info.name(),
            charm: self.local.operation.charm_url.clone().unwrap_or_default(),
            started_at: now.saturating_sub(took),
            duration: took,
            code: code.to_owned(),
            message,
            effects,
        }
    }

    /// Does the bookkeeping of a hook that is not run, as its commit would have.
    async fn finish(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
    ) -> Result<Outcome, UniterError> {
        let (next, commit) = self.conclusion(operation, info, remote, &self.local.operation)?;
        failpoint::reach("uniter-before-finish");
        match self.call(&commit, "recording a hook that is skipped").await {
            Err(error) if cannot_enter(info, &error) => Ok(Outcome::NotYet),
            committed => {
                self.concluded(operation, next, committed?);
                Ok(Outcome::Committed)
            }
        }
    }

    async fn commit(&mut self, operation: &Operation) -> Result<Outcome, UniterError> {
        let state = operation.commit(&self.local.operation)?;
        self.write(state.clone()).await?;
        self.local.committed(operation, state);
        Ok(Outcome::Committed)
    }

    async fn hook_failed(
        &mut self,
        info: &Info,
        code: &'static str,
        reason: String,
        status_set: bool,
        told: Vec<String>,
    ) -> Result<Outcome, UniterError> {
        self.log(
            "ERROR",
            &format!("hook \"{}\" failed: {reason} ({code})", info.name()),
        );
        let operation = OperationState {
            status_set: status_set || self.local.operation.status_set,
            ..self.local.operation.clone()
        };
        let agent = agent_hook_failed(info, Some(&reason));
        let fail = FailHook {
            unit: self.config.unit.clone(),
            operation: operation.clone(),
            agent: agent.clone(),
            run: self.report(info, code, reason.clone(), told),
        };
        self.call(&fail, "recording that the hook failed").await?;
        self.local.operation = operation;
        self.shown = Some(agent);
        self.failure = Some(reason);
        Ok(Outcome::Failed)
    }

    /// Tells the controller, if it can still be told, and in any case the next start.
    async fn broken_off(&mut self) {
        let config = self.config.clone();
        config
            .process
            .remember_interrupted(&config.unit, self.local.operation.clone());
        let state = Operation::hook_interrupted(&self.local.operation);
        let written = clock::timeout(&**config.process.clock(), FAREWELL, self.write(state)).await;
        if !matches!(written, Some(Ok(()))) {
            tracing::warn!(unit = %config.unit, "could not record that a hook was broken off");
        }
    }

    async fn show(&mut self, status: Status<Agent>) -> Result<(), UniterError> {
        if self.shown.as_ref() != Some(&status) {
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

    async fn charm(&self, url: &str) -> Result<Arc<Charm>, UniterError> {
        self.config
            .process
            .charms()
            .get(&self.config.connection, url)
            .await
    }

    async fn write(&mut self, state: OperationState) -> Result<(), UniterError> {
        let set = SetState {
            unit: self.config.unit.clone(),
            operation: state.clone(),
        };
        self.call(&set, "recording the operation").await?;
        self.local.operation = state;
        Ok(())
    }

    async fn drop_generations(&self) -> Result<(), UniterError> {
        let (directory, generation) = (
            self.state_directory.clone(),
            self.local.operation.state_generation,
        );
        blocking(move || directory.drop_others(generation)).await
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
        let process = &self.config.process;
        process.log().write(context::record(
            process.clock(),
            &self.config.unit,
            "uniter",
            level,
            message,
        ));
    }
}

/// Whether the end of a hook is the controller's to know beyond the unit's own record. Of a
/// relation that the controller has removed there is nothing left to enter or to leave.
fn moves(info: &Info, remote: &RemoteState) -> bool {
    info.relation
        .as_ref()
        .is_none_or(|event| remote.relations.contains_key(&event.hook.relation))
}

/// Whether the controller said that the unit has to wait until it can enter a relation.
fn cannot_enter(info: &Info, error: &UniterError) -> bool {
    info.kind == Kind::RelationCreated && error.is_try_again()
}
