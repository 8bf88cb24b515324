//! One hook that runs, from its begin to its commit, its failure or its end without either.

use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{clock, failpoint};
use periapt_model::hook::{AtOnce, Effects, Info, remembered};
use periapt_model::uniter::{
    Attempted, Executed, Operation, OperationState, RemoteState, agent_awaits_charm,
    agent_executing, agent_hook_failed, agent_waiting, workload_before,
};
use periapt_wire::CallError;
use periapt_wire::agent::uniter::{BeginHook, FailHook, HookReport};

use super::conclusion::{HookEnd, cannot_enter};
use super::{Executor, Outcome};
use crate::charms::Charm;
use crate::context;
use crate::error::UniterError;
use crate::hook::{self, Ended, Starting};
use crate::turns::Turn;
use crate::waiting::Waiting;

/// How long a stopping agent tries to tell the controller that it broke a hook off.
const FAREWELL: Duration = Duration::from_secs(3);

/// What a hook that went well leaves to be committed.
struct Ran {
    effects: Effects,
    executed: Executed,
    run: HookReport,
    /// What stays also when the commit is refused.
    at_once: Vec<AtOnce>,
}

impl Executor {
    pub(super) async fn run_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        turn: Turn,
    ) -> Result<Outcome, UniterError> {
        self.begun = self.config.process.clock().monotonic();
        self.waited = self.begun.saturating_sub(turn.asked());
        // Until the guest computes, nothing here does.
        turn.step_aside();
        let charm = self.charm_of_hooks(remote).await?;
        failpoint::reach("uniter-before-prepare");
        let outcome = self
            .run_in_turn(operation, info, remote, &charm, turn)
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

    /// Records that a hook is still to be run, if it is recorded that it has begun.
    async fn put_back(&mut self, info: &Info) -> Result<(), UniterError> {
        let queued = Operation::hook_interrupted(&self.local.operation);
        if self.local.operation.hook.as_ref() == Some(info) && self.local.operation != queued {
            self.write(queued, false).await?;
        }
        Ok(())
    }

    /// The record that the hook begins and the loading of its code go on side by side; the guest
    /// waits for both.
    async fn run_in_turn(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        charm: &Charm,
        turn: Turn,
    ) -> Result<Outcome, UniterError> {
        // A hook that was put back for the lack of code does not begin again without it. What is
        // loaded here is kept, so that it is found below.
        let _code = match self.awaits_code {
            true => Some(hook::load(&self.config, charm).await?),
            false => None,
        };
        let state = self.local.operation.clone();
        let prepared = operation.prepare(&state)?.unwrap_or(state);
        let generation = prepared.state_generation;
        let starting = Starting {
            state_directory: self.state_directory.clone(),
            generation,
            turn: Arc::new(turn),
        };
        let executing = agent_executing(info, self.shown.as_ref());
        let begin = BeginHook {
            unit: self.config.unit.clone(),
            agent: executing.clone(),
            workload: workload_before(info.kind, &prepared),
            operation: prepared.clone(),
            answer: remote.resolved,
        };
        let leads_until = self.config.leadership.leads_until();
        let (begun, loaded) = tokio::join!(
            self.call(&begin, "recording that the hook begins"),
            hook::load(&self.config, charm)
        );
        let snapshot = match begun {
            Err(error) if cannot_enter(info, &error) => return Ok(Outcome::NotYet),
            Err(error) if error.is_answered() => return Ok(Outcome::Answered),
            begun => begun?,
        };
        self.local.operation = prepared;
        self.config.process.forget_interrupted(&self.config.unit);
        self.shown = executing.or(self.shown.take());
        failpoint::reach("uniter-after-prepare");
        self.set_charm_directory().await?;
        let config = self.config.clone();
        self.settings.begin(remote);
        let around = hook::Surroundings {
            relations: context::relations(&self.local.operation, info),
            settings: self.settings.clone(),
            leads_until,
        };
        let dying = self.worker.dying().clone();
        let loaded = loaded?;
        self.awaits_code = false;
        let ended = match loaded {
            Ok(code) => match self.take_place(&starting.turn, info).await? {
                true => {
                    starting
                        .run(&config, charm, code, info, around, snapshot, &dying)
                        .await?
                }
                false => Ended::BrokenOff,
            },
            Err(ended) => ended,
        };
        match ended {
            Ended::Well {
                effects,
                generation,
                config_hash,
                status_set,
                at_once,
            } => {
                let mut told = in_words(&at_once);
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
                let ran = Ran {
                    effects,
                    executed,
                    run: self.report(info, "", String::new(), told),
                    at_once,
                };
                self.commit_hook(operation, info, remote, charm, ran).await
            }
            Ended::Failed {
                code,
                reason,
                status_set,
                at_once,
            } => {
                self.hook_failed(info, code, reason, status_set, &at_once)
                    .await
            }
            Ended::BrokenOff => {
                self.broken_off().await;
                Ok(Outcome::BrokenOff)
            }
        }
    }

    /// Waits for the place in which the guest of a hook that has begun computes, and shows that it
    /// does once that takes long. False when the agent stops first.
    async fn take_place(&mut self, turn: &Turn, info: &Info) -> Result<bool, UniterError> {
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
            if let Some(waits_for) = turn.waits_for() {
                self.show(agent_waiting(&waits_for)).await?;
                was_shown = true;
            }
            waiting.shown();
        }
        if was_shown && let Some(executing) = agent_executing(info, self.shown.as_ref()) {
            self.show(executing).await?;
        }
        let waited = clock.monotonic().saturating_sub(asked);
        self.waited += waited;
        self.begun += waited;
        Ok(true)
    }

    async fn commit_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        remote: &RemoteState,
        charm: &Charm,
        ran: Ran,
    ) -> Result<Outcome, UniterError> {
        let Ran {
            effects,
            executed,
            run,
            at_once,
        } = ran;
        let other_files = self.local.operation.state_generation != executed.state_generation;
        let ended = HookEnd {
            operation,
            info,
            remote,
            done: &operation.hook_done(&self.local.operation, &executed),
            charm: Some(charm),
        };
        let doing = "committing the hook";
        match self.conclude(ended, Some((effects, run)), doing).await {
            Ok(()) => {}
            Err(UniterError::Call {
                error: CallError::Refused { message, .. },
                ..
            }) => {
                self.drop_generations().await?;
                let reason = format!("its changes were refused: {message}");
                return self
                    .hook_failed(
                        info,
                        "commit-refused",
                        reason,
                        executed.status_set,
                        &at_once,
                    )
                    .await;
            }
            Err(error) => return Err(error),
        }
        failpoint::reach("uniter-after-commit");
        self.log(
            "INFO",
            &format!(
                "ran \"{}\" hook in {:.3} ms",
                info.name(),
                self.took().as_secs_f64() * 1000.0
            ),
        );
        failpoint::reach("uniter-before-finish");
        if other_files {
            self.drop_generations().await?;
        }
        Ok(Outcome::Committed)
    }

    fn took(&self) -> Duration {
        let now = self.config.process.clock().monotonic();
        now.saturating_sub(self.begun)
    }

    fn report(&self, info: &Info, code: &str, message: String, effects: Vec<String>) -> HookReport {
        let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
        let now = self.config.process.clock().now().as_microsecond();
        let took = micros(self.took());
        HookReport {
            hook: info.name(),
            charm: self.local.operation.charm_url.clone().unwrap_or_default(),
            started_at: now.saturating_sub(took),
            duration: took,
            waited: micros(self.waited),
            code: code.to_owned(),
            message,
            effects: remembered(&effects),
        }
    }

    async fn hook_failed(
        &mut self,
        info: &Info,
        code: &'static str,
        reason: String,
        status_set: bool,
        at_once: &[AtOnce],
    ) -> Result<Outcome, UniterError> {
        self.log(
            "ERROR",
            &format!("hook \"{}\" failed: {reason} ({code})", info.name()),
        );
        let operation = OperationState {
            status_set: status_set || self.local.operation.status_set,
            ..self.local.operation.clone()
        };
        self.retries.failed(Attempted::Hook(info.clone()));
        self.reason = Some(reason.clone());
        let agent = agent_hook_failed(info, &self.failure(None));
        let fail = FailHook {
            unit: self.config.unit.clone(),
            operation: operation.clone(),
            agent: agent.clone(),
            run: self.report(info, code, reason, in_words(at_once)),
        };
        self.call(&fail, "recording that the hook failed").await?;
        self.local.operation = operation;
        self.shown = Some(agent);
        Ok(Outcome::Failed)
    }

    /// Tells the controller, if it can still be told, and in any case the next start.
    async fn broken_off(&mut self) {
        let config = self.config.clone();
        config
            .process
            .remember_interrupted(&config.unit, self.local.operation.clone());
        let state = Operation::hook_interrupted(&self.local.operation);
        let written = clock::timeout(
            &**config.process.clock(),
            FAREWELL,
            self.write(state, false),
        )
        .await;
        if !matches!(written, Some(Ok(()))) {
            tracing::warn!(unit = %config.unit, "could not record that a hook was broken off");
        }
    }
}

fn in_words(at_once: &[AtOnce]) -> Vec<String> {
    at_once.iter().map(AtOnce::to_string).collect()
}
