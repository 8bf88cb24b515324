//! `run`, `exec`, `operations`, `show-operation`, `show-task`, `cancel-task`: what units are asked to do.
//!
//! Here is what the verbs share: their flags, and how an operation is begun and waited for. How one is
//! waited for is in `follow` and `patience`, what is shown at its end and by which exit status in `ended`.

mod cancel;
mod ended;
mod exec;
mod follow;
mod list;
mod parameters;
mod patience;
mod run;
mod show;
#[cfg(test)]
mod tests;

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use periapt_client::rest::RestError;
use periapt_model::task::TaskId;
use periapt_model::{ApplicationName, Tag, UnitName};
use periapt_wire::rest::{EnqueueOperation, OperationInfo, TaskInfo};

use super::Context;
use crate::arguments::{ModelChoice, Target, duration};
use crate::failure::{Failure, Outcome};
use crate::output::Output;
use crate::output::tasks::OperationDocument;
use crate::output::text::count;
use crate::output::time::Times;
use crate::session::ModelSession;
use follow::Follower;
use patience::Until;

/// The verbs of this folder.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run an action on units and show its results.
    Run(run::Run),
    /// Run a command of the charm on units, or a machine command on machines.
    Exec(exec::Exec),
    /// List the operations on units and machines, newest first.
    #[command(visible_alias = "list-operations")]
    Operations(list::Operations),
    /// Show an operation with its tasks and their results.
    ShowOperation(show::ShowOperation),
    /// Show a task with its results and progress messages.
    ShowTask(show::ShowTask),
    /// Cancel tasks: pending ones do not start, running ones are stopped.
    CancelTask(cancel::CancelTask),
}

/// Forms of what tasks answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TaskFormat {
    /// The results of one unit, or a document with the results of each.
    #[default]
    Plain,
    Json,
    Yaml,
}

/// Options of all verbs that run something on units.
#[derive(Debug, Args)]
pub struct Asked {
    /// Do not wait; print how to look up the operation.
    #[arg(long, conflicts_with = "wait")]
    pub background: bool,
    /// Wait at most this long (exit status 5); tasks continue [default: until they end].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,
    /// How long each unit may run it, at most an hour [default: as long as a hook].
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Run in parallel with hooks and other tasks of the machine [default: as the charm declares].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub parallel: Option<bool>,
    /// Run one at a time within this group on the machine [default: as the charm declares].
    #[arg(long, value_name = "GROUP")]
    pub execution_group: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: TaskFormat,
    /// Show times in UTC, in ISO format.
    #[arg(long)]
    pub utc: bool,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Run(arguments) => run::run(context, arguments).await,
        Verb::Exec(arguments) => exec::exec(context, arguments).await,
        Verb::Operations(arguments) => list::operations(context, arguments).await,
        Verb::ShowOperation(arguments) => show::operation(context, arguments).await,
        Verb::ShowTask(arguments) => show::task(context, arguments).await,
        Verb::CancelTask(arguments) => cancel::cancel(context, arguments).await,
    }
}

impl Asked {
    /// Options other than the action or command and its targets.
    fn request(&self) -> EnqueueOperation {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        EnqueueOperation {
            timeout: self.timeout.map(milliseconds),
            parallel: self.parallel,
            execution_group: self.execution_group.clone(),
            ..EnqueueOperation::default()
        }
    }

    /// As in Juju, no time at all is no limit.
    fn limit(&self) -> Option<Duration> {
        self.wait.filter(|wait| !wait.is_zero())
    }
}

/// The operation, with its tasks as of their end or the end of the wait.
struct Begun {
    operation: TaskId,
    tasks: Vec<TaskInfo>,
    times: Times,
}

/// Has units run something and waits for it; nothing where that is not wanted.
async fn begin(
    output: &Output,
    here: &ModelSession,
    asked: &Asked,
    request: &EnqueueOperation,
) -> Outcome<Option<Begun>> {
    let operation = here
        .client()
        .enqueue_operation(&here.model, request)
        .await
        .map_err(refused)?;
    let times = Times::new(asked.utc);
    if asked.background {
        return scheduled(output, asked.format, &operation, &times).map(|()| None);
    }
    output.say(&running(&operation));
    let id = operation.id;
    let several = operation.tasks.len() > 1;
    let numbers = operation.tasks.iter().map(|task| task.id).collect();
    let follower = Follower::new(here, output, Until::within(asked.limit()));
    let ended = follower.tasks(numbers, |task, line| {
        output.say(&follow::told(task, line, &times, several));
    });
    let tasks = tokio::select! {
        ended = ended => ended.map_err(|error| lost(&operation, error.into()))?,
        () = interrupted() => return Err(left(&operation)),
    };
    Ok(Some(Begun {
        operation: id,
        tasks,
        times,
    }))
}

/// Clients tell an action that is not there from one that failed by the words that Juju adds. Of `exec` they take a failure
/// that has "task failed" in it and no results for a unit that is not there.
fn refused(error: RestError) -> Failure {
    let missing = matches!(&error, RestError::Problem(problem)
        if problem.status == 404 || problem.code.ends_with("-not-found"));
    let failure = Failure::from(error);
    match missing {
        true => failure.marked("(not found): no task failed, since none was begun"),
        false => failure,
    }
}

/// When somebody presses Ctrl-C.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// `unit-site-0` or `machine-0`, as Juju names them here.
fn tag(task: &TaskInfo) -> String {
    let unit = task.unit.clone().map(Tag::Unit);
    let tag = unit.or_else(|| task.machine.clone().map(Tag::Machine));
    tag.map(|tag| tag.to_string()).unwrap_or_default()
}

/// The tasks that still run, and where.
fn running(operation: &OperationInfo) -> String {
    let tasks = count(operation.tasks.len() as u64, "task");
    let mut text = format!("Running operation {} with {tasks}\n", operation.id);
    for task in &operation.tasks {
        text.push_str(&format!("  - task {} on {}\n", task.id, tag(task)));
    }
    text
}

/// Prints how to look up the operation, as text or for a program.
fn scheduled(
    output: &Output,
    format: TaskFormat,
    operation: &OperationInfo,
    times: &Times,
) -> Outcome {
    match format {
        TaskFormat::Json => output.json(&OperationDocument::of(operation, times)),
        TaskFormat::Yaml => output.yaml(&OperationDocument::of(operation, times)),
        TaskFormat::Plain => {
            output.say(&in_background(operation));
            Ok(())
        }
    }
}

fn in_background(operation: &OperationInfo) -> String {
    let id = operation.id;
    let (tasks, one) = match operation.tasks.as_slice() {
        [task] => (
            format!("task {}", task.id),
            format!("\nCheck task status with 'periapt show-task {}'", task.id),
        ),
        tasks => (count(tasks.len() as u64, "task"), String::new()),
    };
    format!(
        "Scheduled operation {id} with {tasks}\n\
         Check operation status with 'periapt show-operation {id}'{one}"
    )
}

/// Nobody waits any more.
fn left(operation: &OperationInfo) -> Failure {
    let ids = operation.tasks.iter().map(|task| task.id);
    Failure::failed(format!("operation {} continues", operation.id))
        .why("you only interrupted the wait")
        .advice(format!(
            "periapt {}; or watch it: periapt show-operation {} --watch",
            cancel::words(ids),
            operation.id
        ))
}

/// The result is unknown.
fn lost(operation: &OperationInfo, failure: Failure) -> Failure {
    let id = operation.id;
    failure.advice(format!(
        "periapt show-operation {id} shows its state; the operation continues"
    ))
}

/// A unit as `run` and `exec` take it: `site/0`, or `site/leader`.
fn target(text: &str) -> Outcome<String> {
    match text.strip_suffix("/leader") {
        Some(name) => Ok(format!("{}/leader", name.parse::<ApplicationName>()?)),
        None => Ok(text.parse::<UnitName>()?.to_string()),
    }
}
