//! One hook that runs, from its begin to its commit, its failure or its end without either.

use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use periapt_engine::{clock, failpoint};
use periapt_model::cause::Cause;
use periapt_model::hook::{AtOnce, Effects, Info, remembered};
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::{
    Attempted, Executed, Operation, OperationError, OperationState, agent_awaits_charm,
    agent_executing, agent_hook_failed, agent_waiting, workload_before,
};
use periapt_wire::CallError;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{BeginHook, FailHook, GetState, HookReport};
use periapt_wire::rpc::code;

use super::conclusion::{HookEnd, cannot_enter};
use super::{Executor, Outcome, reboot};
use crate::charms::Charm;
use crate::context;
use crate::dispatch::Dispatch;
use crate::error::UniterError;
use crate::hook::{self, Ended, Starting};
use crate::lines::Lines;
use crate::remote::Heard;
use crate::snapshot::{HookSnapshot, Kept};
use crate::storage;
use crate::turns::Turn;
use crate::waiting::Waiting;

/// How long a stopping agent tries to tell the controller that it broke a hook off.
pub(super) const FAREWELL: Duration = Duration::from_secs(3);

/// What a hook that went well leaves to be committed.
pub(super) struct Ran {
    pub effects: Effects,
    pub run: HookReport,
    /// What the workload showed before, if nobody has heard of that yet.
    pub workload: Option<Status<Workload>>,
    pub lines: Arc<Lines>,
    /// What the agent logs of it, if its commit stands.
    pub says: LogRecord,
    /// When it ran.
    pub when: Range<Duration>,
}

impl Executor {
    pub(super) async fn run_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        heard: &Heard,
        turn: Turn,
    ) -> Result<Outcome, UniterError> {
        self.begun = self.config.process.clock().monotonic();
        self.waited = self.begun.saturating_sub(turn.asked());
        self.pauses = turn.pauses().clone();
        let about = info.storage.as_ref().map(|event| &event.id);
        let what = || format!("hook \"{}\"", info.name());
        if self.awaits_storage(what, about, heard).await? {
            return Ok(Outcome::Later);
        }
        let charm = self.charm_of_hooks(&heard.state).await?;
        failpoint::reach("uniter-before-prepare");
        let outcome = self.run_in_turn(operation, info, heard, &charm, turn).await;
        if outcome.is_err()
            && let Some(pending) = self.prepared(operation)?
        {
            // Whatever went wrong, it was not the charm's doing. Should the hook be committed
            // after all, the record will not be pending, and this is forgotten.
            self.config
                .process
                .remember_interrupted(&self.config.unit, pending);
        }
        match outcome {
            Err(error) if error.is_out_of_descriptors() => self.postpone(info, &error).await,
            Err(UniterError::NotCompiled) => self.await_code(info).await,
            outcome => outcome,
        }
    }

    /// Puts a hook back that could not be run, or not be finished, for the lack of descriptors.
    async fn postpone(&mut self, info: &Info, error: &UniterError) -> Result<Outcome, UniterError> {
        let name = info.name();
        self.log(
            "WARNING",
            &format!("hook \"{name}\" has to wait for free file descriptors: {error}"),
        );
        self.put_back(info).await?;
        Ok(Outcome::Later)
    }

    /// Puts a hook back whose charm the controller has yet to compile, and shows what it waits
    /// for.
    async fn await_code(&mut self, info: &Info) -> Result<Outcome, UniterError> {
        if !std::mem::replace(&mut self.awaits_code, true) {
            let name = info.name();
            self.log(
                "INFO",
                &format!("hook \"{name}\" has to wait for the controller to compile the charm"),
            );
        }
        self.put_back(info).await?;
        self.show(agent_awaits_charm()).await?;
        Ok(Outcome::NotYet)
    }

    /// A hook that begins is written down: here, or with the controller where somebody else has to
    /// hear of it first.
    async fn run_in_turn(
        &mut self,
        operation: &Operation,
        info: &Info,
        heard: &Heard,
        charm: &Charm,
        turn: Turn,
    ) -> Result<Outcome, UniterError> {
        let remote = &heard.state;
        let code = aside(&turn, hook::load(&self.config, charm)).await?;
        self.awaits_code = false;
        let recorded = self.local.operation.clone();
        let prepared = self.prepared(operation)?;
        let prepared = prepared.unwrap_or_else(|| recorded.clone());
        let generation = prepared.state_generation;
        let workload = workload_before(info.kind, &prepared);
        let snapshot = HookSnapshot::new(
            heard,
            self.kept().await?,
            self.config.limits.clone(),
            workload.clone(),
        );
        let begin = BeginHook {
            unit: self.config.unit.clone(),
            from: self.sequence,
            agent: agent_executing(info, self.shown.as_ref()),
            workload,
            operation: prepared,
            answer: remote.resolved,
        };
        if self.begins_here(info, remote, &recorded) {
            self.local.operation = begin.operation.clone();
            self.unrecorded = Some(recorded);
        } else {
            match aside(&turn, self.begin(&begin)).await {
                Err(error) if cannot_enter(info, &error) => return Ok(Outcome::NotYet),
                Err(error) if error.is_answered() => return Ok(Outcome::Answered),
                begun => begun?,
            }
        }
        self.config.process.forget_interrupted(&self.config.unit);
        self.refused = None;
        failpoint::reach("uniter-after-prepare");
        self.set_charm_directory().await?;
        let config = self.config.clone();
        self.settings.begin(remote);
        let around = hook::Surroundings {
            relations: context::relations(&self.local.operation, Some(info)),
            settings: self.settings.clone(),
            lines: Lines::hold(self.config.process.log()),
            leads_until: heard.leads_until,
            containers: Arc::clone(&self.containers),
            storage: storage::held(
                &self.local.operation,
                &remote.storage,
                info.storage.as_ref().map(|event| &event.id),
            ),
        };
        let lines = around.lines.clone();
        let starting = Starting {
            state_directory: self.state_directory.clone(),
            generation,
            turn: Arc::new(turn),
        };
        let dying = self.worker.dying().clone();
        let ended = match code {
            Ok(code) => match self
                .take_place(&starting.turn, agent_executing(info, None))
                .await?
            {
                true => {
                    let run = starting.run(
                        &config,
                        charm,
                        code,
                        Dispatch::Hook(info),
                        around,
                        snapshot,
                        &dying,
                    );
                    self.accompany(run, &begin, &lines).await?
                }
                false => Ended::BrokenOff,
            },
            Err(ended) => ended,
        };
        match ended {
            Ended::Well {
                effects,
                generation,
                status_set,
                at_once,
                usage,
                ran,
            } => {
                let mut told = in_words(&at_once);
                told.extend(effects.in_words());
                if generation != self.local.operation.state_generation {
                    told.push("files of its state directory".to_owned());
                }
                let executed = Executed {
                    config_hash: heard.config_hash.clone(),
                    leader_settings_version: remote.leader_settings_version,
                    reboots: remote.reboots,
                    state_generation: generation,
                    status_set,
                };
                let says = |effect: &AtOnce| matches!(effect, AtOnce::UnitStatus(_));
                let unheard = self.unrecorded.is_some() && !at_once.iter().any(says);
                let run = HookReport {
                    effects: remembered(&told),
                    usage: Some(usage),
                    ..self.report_of(info)
                };
                let took = Duration::from_micros(run.duration.unsigned_abs()).as_secs_f64();
                let says = format!("ran \"{}\" hook in {:.3} ms", run.hook, took * 1000.0);
                let ran = Ran {
                    effects,
                    run,
                    workload: begin.workload.filter(|_| unheard),
                    lines,
                    says: self.line("INFO", &says),
                    when: ran,
                };
                // A hook that is queued now follows from this run.
                let done = OperationState {
                    because: Cause::Before,
                    ..operation.hook_done(&self.local.operation, &executed)
                };
                let ended = HookEnd {
                    operation,
                    info,
                    heard,
                    done: &done,
                    charm: Some(charm),
                };
                self.commit_hook(ended, ran, &executed, &at_once).await
            }
            Ended::Failed {
                code,
                reason,
                refused,
                status_set,
                at_once,
                usage,
            } => {
                lines.release();
                self.refused = refused;
                let run = HookReport {
                    code: code.to_owned(),
                    message: reason,
                    effects: remembered(&in_words(&at_once)),
                    usage,
                    ..self.report_of(info)
                };
                self.hook_failed(info, run, status_set).await
            }
            Ended::Reboots {
                status_set,
                at_once,
                usage,
            } => {
                lines.release();
                let Some(queued) = Operation::hook_reboots(&self.local.operation) else {
                    let run = HookReport {
                        code: reboot::CODE.to_owned(),
                        message: reboot::asks_for_ever(),
                        effects: remembered(&in_words(&at_once)),
                        usage: Some(usage),
                        ..self.report_of(info)
                    };
                    return self.hook_failed(info, run, status_set).await;
                };
                self.reboot_now(info, queued, status_set).await?;
                Ok(Outcome::Rebooting)
            }
            Ended::BrokenOff => {
                self.broken_off().await;
                Ok(Outcome::BrokenOff)
            }
        }
    }

    /// What the unit's hooks left.
    pub(super) async fn kept(&self) -> Result<Arc<Kept>, UniterError> {
        if let Some(kept) = &self.kept {
            return Ok(kept.clone());
        }
        let unit = self.config.unit.clone();
        let ask = GetState { unit };
        let state = self.call(&ask, "reading the unit's state").await?;
        Ok(Arc::new(Kept::of(state)))
    }

    /// Waits for the place in which the guest of a hook that has begun computes, and shows that it
    /// does once that takes long, and `executing` afterwards. False when the agent stops first.
    pub(super) async fn take_place(
        &mut self,
        turn: &Turn,
        executing: Option<Status<Agent>>,
    ) -> Result<bool, UniterError> {
        let clock = self.clock();
        let asked = clock.monotonic();
        let mut waiting = Waiting::begin(&clock);
        let mut was_shown = false;
        turn.step_in();
        let dying = self.worker.dying().clone();
        while !tokio::select! {
            biased;
            come = waiting.ends(turn) => come,
            () = dying.cancelled() => return Ok(false),
        } {
            self.hand_over().await;
            if let Some(waits_for) = turn.waits_for() {
                self.show(agent_waiting(&waits_for)).await?;
                was_shown = true;
            }
            waiting.shown();
        }
        if was_shown && let Some(executing) = executing {
            self.show(executing).await?;
        }
        let waited = clock.monotonic().saturating_sub(asked);
        self.waited += waited;
        self.begun += waited;
        Ok(true)
    }

    async fn commit_hook(
        &mut self,
        ended: HookEnd<'_>,
        ran: Ran,
        executed: &Executed,
        at_once: &[AtOnce],
    ) -> Result<Outcome, UniterError> {
        let (info, usage) = (ended.info, ran.run.usage);
        let other_files = self.local.operation.state_generation != executed.state_generation;
        let doing = "committing the hook";
        match self.conclude(ended, Some(ran), doing).await {
            Err(UniterError::Call {
                error: CallError::Refused { message, code },
                ..
            }) if code != code::STALE => {
                self.drop_refused().await?;
                let run = HookReport {
                    code: "commit-refused".to_owned(),
                    message: format!("its changes were refused: {message}"),
                    effects: remembered(&in_words(at_once)),
                    usage,
                    ..self.report_of(info)
                };
                return self.hook_failed(info, run, executed.status_set).await;
            }
            concluded => concluded?,
        }
        failpoint::reach("uniter-after-commit");
        failpoint::reach("uniter-before-finish");
        self.outdated |= other_files;
        self.drop_outdated().await?;
        Ok(Outcome::Committed)
    }

    fn took(&self) -> Duration {
        let now = self.config.process.clock().monotonic();
        now.saturating_sub(self.begun)
    }

    /// The state in which the hook of an operation has begun, and why it has; none where nothing begins.
    fn prepared(&self, operation: &Operation) -> Result<Option<OperationState>, OperationError> {
        let prepared = operation.prepare(&self.local.operation)?;
        Ok(prepared.map(|state| OperationState {
            because: self.local.because.clone(),
            ..state
        }))
    }

    /// Of a hook that ends now.
    fn report_of(&self, info: &Info) -> HookReport {
        HookReport {
            about: info.about(),
            ..self.report(info.name())
        }
    }

    /// Of a hook, or a task, that ends now.
    pub(super) fn report(&self, hook: String) -> HookReport {
        let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let now = self.config.process.clock().now().as_microsecond();
        let (took, paused) = (self.took(), self.pauses.total());
        HookReport {
            hook,
            charm: self.local.operation.charm_url.clone().unwrap_or_default(),
            started_at: now.saturating_sub(micros(took)),
            duration: micros(took.saturating_sub(paused)),
            waited: micros(self.waited + paused),
            cause: self.local.because.clone(),
            ..HookReport::default()
        }
    }

    async fn hook_failed(
        &mut self,
        info: &Info,
        run: HookReport,
        status_set: bool,
    ) -> Result<Outcome, UniterError> {
        let HookReport {
            hook,
            code,
            message,
            ..
        } = &run;
        self.log(
            "ERROR",
            &format!("hook \"{hook}\" failed: {message} ({code})"),
        );
        let operation = OperationState {
            status_set: status_set || self.local.operation.status_set,
            ..self.local.operation.clone()
        };
        self.retries.failed(Attempted::Hook(info.clone()));
        self.reason = Some(message.clone());
        let agent = agent_hook_failed(info, &self.failure(None));
        let fail = FailHook {
            unit: self.config.unit.clone(),
            from: self.sequence,
            operation: operation.clone(),
            agent: agent.clone(),
            run,
        };
        self.call(&fail, "recording that the hook failed").await?;
        self.recorded();
        self.local.operation = operation;
        self.shown = Some(agent);
        Ok(Outcome::Failed)
    }

    /// Tells the controller, if it knows of the hook and can still be told, and in any case the
    /// next start.
    async fn broken_off(&mut self) {
        let config = self.config.clone();
        config
            .process
            .remember_interrupted(&config.unit, self.local.operation.clone());
        let Some(hook) = self.local.operation.hook.clone() else {
            return;
        };
        let clock = config.process.clock();
        let back = clock::timeout(&**clock, FAREWELL, self.put_back(&hook)).await;
        if !matches!(back, Some(Ok(()))) {
            tracing::warn!(unit = %config.unit, "could not record that a hook was broken off");
        }
    }
}

/// Waits for `work` without a place, unless it is done at once.
pub(super) async fn aside<T>(turn: &Turn, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Poll::Ready(done) = futures::poll!(work.as_mut()) {
        return done;
    }
    turn.step_aside();
    work.await
}

pub(super) fn in_words(at_once: &[AtOnce]) -> Vec<String> {
    at_once.iter().map(AtOnce::to_string).collect()
}
