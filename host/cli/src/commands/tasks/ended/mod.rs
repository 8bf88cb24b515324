//! What is shown of tasks that have ended, and by which exit status that is told.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::task::{TaskId, TaskStatus};
use periapt_wire::rest::TaskInfo;
use serde_json::Value;

use super::{TaskFormat, cancel};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::Output;
use crate::output::document::Named;
use crate::output::tasks::TaskDocument;
use crate::output::text::count;
use crate::output::time::Times;

#[cfg(test)]
mod tests;

/// The largest status that is passed on: shells mean something themselves by those above.
const LARGEST: u64 = 125;
/// So many tasks are named where some failed.
const NAMED: usize = 3;

/// Of one task what it answered, else of each what it did, by unit.
pub fn show(output: &Output, format: TaskFormat, tasks: &[TaskInfo], times: &Times) -> Outcome {
    match (format, tasks) {
        (TaskFormat::Json, _) => output.json(&by_unit(tasks, times)),
        (TaskFormat::Plain, [task]) => match &task.results {
            Some(results) if !results.is_empty() => output.yaml(results),
            _ => Ok(()),
        },
        (TaskFormat::Plain | TaskFormat::Yaml, _) => output.yaml(&by_unit(tasks, times)),
    }
}

fn by_unit<'a>(tasks: &'a [TaskInfo], times: &Times) -> Named<TaskDocument<'a>> {
    let document = |task: &'a TaskInfo| (task.receiver(), TaskDocument::of_unit(task, times));
    tasks.iter().map(document).collect()
}

/// What a command printed, where it printed it.
pub fn streams(output: &Output, task: &TaskInfo) -> Outcome {
    output.raw(&stream(task, "stdout"))?;
    let stderr = stream(task, "stderr");
    let stderr = String::from_utf8_lossy(&stderr);
    output.report(stderr.strip_suffix('\n').unwrap_or(&stderr));
    Ok(())
}

/// What is no text comes in Base64.
fn stream(task: &TaskInfo, name: &str) -> Vec<u8> {
    let result = |key: &str| task.results.as_ref()?.get(key)?.as_str();
    let text = result(name).unwrap_or_default();
    let encoding = result(&format!("{name}-encoding"));
    let decoded = encoding
        .filter(|encoding| *encoding == "base64")
        .and_then(|_| BASE64_STANDARD.decode(text).ok());
    decoded.unwrap_or_else(|| text.as_bytes().to_vec())
}

/// Success, if all tasks completed.
pub fn verdict(operation: TaskId, tasks: &[TaskInfo]) -> Outcome {
    if tasks.iter().any(|task| !task.status.has_ended()) {
        return Err(goes_on(operation, tasks));
    }
    let failed: Vec<(&TaskInfo, String)> = tasks
        .iter()
        .filter_map(|task| Some((task, wrong(task)?)))
        .collect();
    match failed.as_slice() {
        [] => Ok(()),
        // Juju's words, by which clients know that there are results all the same.
        [(task, why)] if tasks.len() == 1 => Err(Failure::failed(format!(
            "the following task {}: {} on {}",
            ended(task.status),
            task.id,
            task.receiver()
        ))
        .why(why)
        .advice(format!("periapt show-task {}", task.id))),
        failed => Err(Failure::failed(format!(
            "{} of {} did not complete",
            failed.len(),
            count(tasks.len() as u64, "task")
        ))
        .why(reasons(failed))
        .advice(format!("periapt show-operation {operation}"))),
    }
}

/// [`verdict`], with the status of the command where one unit ran it. In words it is told where the command has not told
/// it itself (`plain`).
pub fn of_command(operation: TaskId, tasks: &[TaskInfo], plain: bool) -> Outcome {
    let verdict = verdict(operation, tasks);
    let [task] = tasks else { return verdict };
    let Some(status) = passed_on(task) else {
        return verdict;
    };
    match plain && task.message.is_empty() {
        true => Err(Failure::of_command(status)),
        false => verdict.map_err(|mut failure| {
            failure.exit = Exit::Command(status);
            failure
        }),
    }
}

/// The status with which a command ended, where it can be the program's own.
fn passed_on(task: &TaskInfo) -> Option<u8> {
    let code = return_code(task).filter(|code| (1..=LARGEST).contains(code))?;
    u8::try_from(code).ok().filter(|_| task.status.has_ended())
}

fn return_code(task: &TaskInfo) -> Option<u64> {
    task.results
        .as_ref()?
        .get("return-code")
        .and_then(Value::as_u64)
}

/// Why a task did not do what it was asked; none where it did.
fn wrong(task: &TaskInfo) -> Option<String> {
    let code = return_code(task).filter(|code| *code != 0);
    match (task.status, task.message.as_str(), code) {
        (TaskStatus::Completed, _, None) => None,
        (_, "", Some(code)) => Some(format!("it ended with exit status {code}")),
        (_, "", None) => Some("no reason was given".to_owned()),
        (_, message, _) => Some(message.to_owned()),
    }
}

fn ended(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Cancelled => "was cancelled",
        TaskStatus::Aborted => "was stopped",
        _ => "failed",
    }
}

fn reasons(failed: &[(&TaskInfo, String)]) -> String {
    let named = failed.iter().take(NAMED);
    let mut reasons: Vec<String> = named
        .map(|(task, why)| format!("{} {}: {why}", task.receiver(), ended(task.status)))
        .collect();
    if failed.len() > NAMED {
        reasons.push(format!("{} more", failed.len() - NAMED));
    }
    reasons.join("; ")
}

/// The time to wait was over before it had ended.
pub(super) fn goes_on(operation: TaskId, tasks: &[TaskInfo]) -> Failure {
    let open: Vec<&TaskInfo> = tasks
        .iter()
        .filter(|task| !task.status.has_ended())
        .collect();
    let why = match open.as_slice() {
        [task] => format!("task {} on {} is {}", task.id, task.receiver(), task.status),
        open => format!("{} have not ended", count(open.len() as u64, "task")),
    };
    Failure::new(
        Exit::TimedOut,
        format!("timed out waiting for operation {operation}, which continues"),
    )
    .why(why)
    .advice(format!(
        "periapt show-operation {operation} --watch, or periapt {}",
        cancel::words(open.iter().map(|task| task.id))
    ))
}
