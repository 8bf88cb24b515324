//! Tasks: actions and commands that people asked for, from the moment the controller records that one
//! begins to its end.
//!
//! Its beginning is recorded before anything of it runs, and never twice, so a task is run at most once.
//! What it changed and how it ended is one commit. Where there is no commit its end is recorded alone; and
//! where the process dies before that, the next one finds it running and ends it.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;

use periapt_contract::action::Outcome as Answer;
use periapt_engine::{clock, failpoint};
use periapt_model::hook::{AtOnce, Effects, remembered};
use periapt_model::task::{DueTask, Results, TaskStatus};
use periapt_model::uniter::{Operation, agent_awaits_charm, agent_runs_task};
use periapt_sandbox::HookFailure;
use periapt_wire::CallError;
use periapt_wire::agent::uniter::{
    BeginTask, CommitHook, EndTask, GetTaskStatus, HookReport, TaskEnd, WatchTasks,
};
use periapt_wire::rpc::code;

use super::begin::LASTS;
use super::hooks::{FAREWELL, aside, in_words};
use super::{Executor, Outcome};
use crate::charms::Charm;
use crate::context;
use crate::dispatch::{Dispatch, RunningTask};
use crate::error::UniterError;
use crate::hook::{self, Ended, Starting};
use crate::lines::Lines;
use crate::remote::Heard;
use crate::snapshot::HookSnapshot;
use crate::storage;
use crate::turns::Turn;
use crate::worker::UniterConfig;

/// Of a task that was running when its agent stopped, or died.
const STOPPED: &str =
    "the agent stopped while it ran; what it had changed was dropped, and it is not run again";
/// Of one that a person cancelled.
const CANCELLED: &str = "it was cancelled while it ran";

/// What a task leaves that is committed.
struct Left {
    effects: Effects,
    generation: u64,
    status_set: bool,
    run: HookReport,
    lines: Arc<Lines>,
}

impl Executor {
    /// Runs a task that waits; without a turn it is one that the charm does not have.
    pub(super) async fn run_task(
        &mut self,
        due: &DueTask,
        heard: &Heard,
        turn: Option<Turn>,
    ) -> Result<Outcome, UniterError> {
        self.begun = self.config.process.clock().monotonic();
        let pauses = turn.as_ref().map(|turn| turn.pauses().clone());
        self.pauses = pauses.unwrap_or_default();
        let Some(turn) = turn else {
            return self.run_missing_task(due).await;
        };
        self.waited = self.begun.saturating_sub(turn.asked());
        let what = || due.dispatch.clone();
        if self.awaits_storage(what, None, heard).await? {
            return Ok(Outcome::Later);
        }
        let charm = self.charm_of_hooks(&heard.state).await?;
        match aside(&turn, hook::load(&self.config, &charm)).await {
            Ok(code) => self.run_task_of(due, heard, &charm, code, turn).await,
            Err(UniterError::NotCompiled) => {
                self.show(agent_awaits_charm()).await?;
                Ok(Outcome::NotYet)
            }
            Err(error) if error.is_out_of_descriptors() => {
                let what = &due.dispatch;
                let waits = format!("{what} has to wait for free file descriptors: {error}");
                self.log("WARNING", &waits);
                Ok(Outcome::Later)
            }
            Err(error) => Err(error),
        }
    }

    /// Ends a task that an earlier process of the agent ran.
    pub(super) async fn end_broken_off(&mut self, due: &DueTask) -> Result<Outcome, UniterError> {
        let status = due.status.broken_off().unwrap_or(TaskStatus::Failed);
        let message = match status {
            TaskStatus::Aborted => CANCELLED,
            _ => STOPPED,
        };
        self.log(
            "WARNING",
            &format!("task {} ({}): {message}", due.id, due.dispatch),
        );
        self.end_task(due, status, message, Results::new(), None)
            .await?;
        Ok(Outcome::Committed)
    }

    async fn run_missing_task(&mut self, due: &DueTask) -> Result<Outcome, UniterError> {
        if self.begin_task(due).await?.is_some() {
            let message = format!("the charm does not implement {}", due.dispatch);
            self.log("WARNING", &format!("task {}: {message}", due.id));
            let status = TaskStatus::Failed;
            self.end_task(due, status, message, Results::new(), None)
                .await?;
        }
        Ok(Outcome::Committed)
    }

    /// Records that a task begins; none if it is not to be run.
    async fn begin_task(&mut self, due: &DueTask) -> Result<Option<Arc<RunningTask>>, UniterError> {
        let begin = BeginTask {
            unit: self.config.unit.clone(),
            task: due.id,
            agent: agent_runs_task(&due.dispatch),
        };
        let to_run = self.call(&begin, "recording that a task begins").await?;
        if to_run.is_some() {
            self.shown = Some(begin.agent);
        }
        failpoint::reach("uniter-after-begin-task");
        Ok(to_run.map(|to_run| Arc::new(RunningTask::new(due, to_run))))
    }

    async fn end_task(
        &mut self,
        due: &DueTask,
        status: TaskStatus,
        message: impl Into<String>,
        results: Results,
        run: Option<HookReport>,
    ) -> Result<(), UniterError> {
        let end = EndTask {
            unit: self.config.unit.clone(),
            end: TaskEnd {
                id: due.id,
                status,
                message: message.into(),
                results,
            },
            run,
        };
        failpoint::reach("uniter-before-end-task");
        self.call(&end, "recording that a task ended").await?;
        Ok(())
    }

    async fn run_task_of(
        &mut self,
        due: &DueTask,
        heard: &Heard,
        charm: &Charm,
        code: Result<Arc<dyn crate::sandbox::RunnableCharm>, Ended>,
        turn: Turn,
    ) -> Result<Outcome, UniterError> {
        let Some(task) = aside(&turn, self.begin_task(due)).await? else {
            return Ok(Outcome::Committed);
        };
        let lines = Lines::hold(self.config.process.log());
        let ended = self
            .enter_task(&task, heard, charm, code, turn, &lines)
            .await;
        match ended {
            Ok(Ended::Well {
                effects,
                generation,
                status_set,
                at_once,
                usage,
                ..
            }) => {
                let mut told = in_words(&at_once);
                told.extend(effects.in_words());
                let left = Left {
                    effects,
                    generation,
                    status_set,
                    run: HookReport {
                        effects: remembered(&told),
                        usage: Some(usage),
                        ..self.report(task.dispatch.clone())
                    },
                    lines,
                };
                self.task_ran(due, &task, heard, left, &at_once).await
            }
            Ok(Ended::Failed {
                code,
                reason,
                at_once,
                usage,
                ..
            }) => {
                lines.release();
                let run = HookReport {
                    code: code.to_owned(),
                    message: reason.clone(),
                    effects: remembered(&in_words(&at_once)),
                    usage,
                    ..self.report(task.dispatch.clone())
                };
                let (status, message) = match code == HookFailure::Cancelled.code() {
                    true => (TaskStatus::Aborted, CANCELLED.to_owned()),
                    false => (TaskStatus::Failed, reason),
                };
                let mut answer = Answer::default();
                if status == TaskStatus::Failed {
                    answer.results = task.broke_off(&message);
                }
                self.task_failed(due, &task, status, message, run, answer)
                    .await
            }
            // A task is refused it, so that it is none of its ends; should it be, nothing is committed.
            Ok(Ended::Reboots { .. } | Ended::BrokenOff) => {
                let config = self.config.clone();
                let end = self.end_task(due, TaskStatus::Failed, STOPPED, Results::new(), None);
                // Should the controller not hear of it, the next process ends it.
                clock::timeout(&**config.process.clock(), FAREWELL, end)
                    .await
                    .transpose()?;
                Ok(Outcome::BrokenOff)
            }
            Err(error) => {
                let message = format!("the agent could not run it: {error}");
                let status = TaskStatus::Failed;
                self.end_task(due, status, message, Results::new(), None)
                    .await?;
                match error.is_out_of_descriptors() {
                    true => Ok(Outcome::Committed),
                    false => Err(error),
                }
            }
        }
    }

    /// The middle of it: its guest, and whoever may cancel it.
    async fn enter_task(
        &mut self,
        task: &Arc<RunningTask>,
        heard: &Heard,
        charm: &Charm,
        code: Result<Arc<dyn crate::sandbox::RunnableCharm>, Ended>,
        turn: Turn,
        lines: &Arc<Lines>,
    ) -> Result<Ended, UniterError> {
        let code = match code {
            Ok(code) => code,
            Err(ended) => return Ok(ended),
        };
        let mut limits = self.config.limits.clone();
        limits.wall_clock_ms = task.timeout_ms.unwrap_or(limits.wall_clock_ms);
        let snapshot = HookSnapshot::new(heard, self.kept().await?, limits, None);
        self.settings.begin(&heard.state);
        let around = hook::Surroundings {
            relations: context::relations(&self.local.operation, None),
            settings: self.settings.clone(),
            lines: lines.clone(),
            leads_until: heard.leads_until,
            containers: Arc::clone(&self.containers),
            storage: storage::held(&self.local.operation, &heard.state.storage, None),
        };
        let starting = Starting {
            state_directory: self.state_directory.clone(),
            generation: self.local.operation.state_generation,
            turn: Arc::new(turn),
        };
        let (config, dying) = (self.config.clone(), self.worker.dying().clone());
        let shown = Some(agent_runs_task(&task.dispatch));
        if !self.take_place(&starting.turn, shown).await? {
            return Ok(Ended::BrokenOff);
        }
        let dispatch = Dispatch::Task(task);
        let run = starting.run(&config, charm, code, dispatch, around, snapshot, &dying);
        let mut run = pin!(run);
        let lasts = self.clock().sleep(LASTS);
        tokio::select! {
            biased;
            ended = &mut run => return ended,
            () = lasts => {}
        }
        lines.release();
        self.hand_over().await;
        let listening = async {
            listen(&config, task).await;
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            ended = run => ended,
            never = listening => match never {},
        }
    }

    /// A guest returned well. One that says that its command ended with another code than 0 changes nothing.
    async fn task_ran(
        &mut self,
        due: &DueTask,
        task: &RunningTask,
        heard: &Heard,
        mut left: Left,
        at_once: &[AtOnce],
    ) -> Result<Outcome, UniterError> {
        let answer = &mut left.effects.action;
        if answer.return_code != 0 {
            left.lines.release();
            self.drop_refused().await?;
            let code = answer.return_code;
            let message = format!("the command ended with return code {code}");
            let run = HookReport {
                code: "return-code".to_owned(),
                message: message.clone(),
                effects: remembered(&in_words(at_once)),
                ..left.run
            };
            let answer = std::mem::take(answer);
            return self
                .task_failed(due, task, TaskStatus::Failed, message, run, answer)
                .await;
        }
        answer.results = task.with_printed(std::mem::take(&mut answer.results), 0);
        let next = Operation::task_done(&self.local.operation, left.generation, left.status_set);
        let other_files = next.state_generation != self.local.operation.state_generation;
        let took = std::time::Duration::from_micros(left.run.duration.unsigned_abs());
        let says = format!(
            "ran {} in {:.3} ms",
            due.dispatch,
            took.as_secs_f64() * 1000.0
        );
        let says = self.line("INFO", &says);
        let commit = CommitHook {
            unit: self.config.unit.clone(),
            from: self.sequence,
            effects: left.effects,
            operation: next.clone(),
            workload: None,
            hook: None,
            absent: Vec::new(),
            run: Some(left.run),
            task: Some(due.id),
            records: left.lines.along(&says),
            rests: false,
            known: heard.known(),
        };
        let leads_until = self.config.leadership.leads_until();
        match self.call(&commit, "committing a task").await {
            Ok(committed) => {
                left.lines.committed(says);
                self.stands(&commit.effects);
                self.local.operation = next;
                self.told = Some((committed.news, leads_until));
            }
            Err(UniterError::Call {
                error: CallError::Refused { message, code },
                ..
            }) if code != code::STALE => {
                left.lines.release();
                self.drop_refused().await?;
                let message = format!("its changes were refused: {message}");
                let run = HookReport {
                    code: "commit-refused".to_owned(),
                    message: message.clone(),
                    effects: remembered(&in_words(at_once)),
                    ..self.report(due.dispatch.clone())
                };
                let status = TaskStatus::Failed;
                return self
                    .task_failed(due, task, status, message, run, Answer::default())
                    .await;
            }
            Err(error) => return Err(error),
        }
        failpoint::reach("uniter-after-commit");
        self.outdated |= other_files;
        self.drop_outdated().await?;
        Ok(Outcome::Committed)
    }

    async fn task_failed(
        &mut self,
        due: &DueTask,
        task: &RunningTask,
        status: TaskStatus,
        message: String,
        run: HookReport,
        answer: Answer,
    ) -> Result<Outcome, UniterError> {
        self.log(
            "WARNING",
            &format!("task {} ({}) {status}: {message}", due.id, due.dispatch),
        );
        let code = answer.return_code.max(1);
        let results = task.with_printed(answer.results, code);
        self.end_task(due, status, message, results, Some(run))
            .await?;
        Ok(Outcome::Committed)
    }
}

/// Stops the task once a person says so. It ends when there is nothing left to listen to.
async fn listen(config: &UniterConfig, task: &RunningTask) {
    let watch = WatchTasks {
        unit: config.unit.clone(),
    };
    let ask = GetTaskStatus {
        unit: config.unit.clone(),
        task: task.id,
    };
    let Ok(mut watcher) = config.connection.watch(&watch).await else {
        return;
    };
    while watcher.next().await.is_ok() {
        match config.connection.call(&ask).await {
            Ok(Some(TaskStatus::Running)) => {}
            Ok(_) => return task.cancelled.cancel(),
            Err(_) => return,
        }
    }
}
