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
    let document = |task: &'a TaskInfo| (task.unit.to_string(), TaskDocument::of_unit(task, times));
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
        [(task, why)] if tasks.len() == 1 => Err(Failure::failed(format!(
            "task {} on {} {}",
            task.id,
            task.unit,
            ended(task.status)
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

/// [`verdict`], with the status of the command where one unit ran it.
pub fn of_command(operation: TaskId, tasks: &[TaskInfo]) -> Outcome {
    let verdict = verdict(operation, tasks);
    let [task] = tasks else { return verdict };
    let Some(status) = passed_on(task) else {
        return verdict;
    };
    match task.message.is_empty() {
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
        .map(|(task, why)| format!("{} {}: {why}", task.unit, ended(task.status)))
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
        [task] => format!("task {} on {} is {}", task.id, task.unit, task.status),
        open => format!("{} have not ended", count(open.len() as u64, "task")),
    };
    Failure::new(
        Exit::TimedOut,
        format!("operation {operation} goes on after the time to wait"),
    )
    .why(why)
    .advice(format!(
        "periapt show-operation {operation} --watch, or periapt {}",
        cancel::words(open.iter().map(|task| task.id))
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{task, with};
    use super::*;

    fn lines(outcome: &Outcome) -> Vec<String> {
        let text = outcome.as_ref().unwrap_err().to_string();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn all_completed_is_success_and_anything_else_is_not() {
        let completed = task(2, "site/0", "completed");
        assert_eq!(verdict(1, std::slice::from_ref(&completed)), Ok(()));
        assert_eq!(verdict(1, &[]), Ok(()));
        let mut failed = task(3, "site/1", "failed");
        failed.message = "no \u{1b}[31mroom\n  try: nothing".to_owned();
        assert_eq!(
            lines(&verdict(1, std::slice::from_ref(&failed))),
            [
                "error: task 3 on site/1 failed",
                "  why: no room   try: nothing",
                "  try: periapt show-task 3",
            ]
        );
        let aborted = task(4, "site/2", "aborted");
        let both = verdict(1, &[completed, failed, aborted]);
        assert_eq!(both.as_ref().unwrap_err().exit, Exit::Failed);
        assert_eq!(
            lines(&both)[..2],
            [
                "error: 2 of 3 tasks did not complete",
                "  why: site/1 failed: no room   try: nothing; site/2 was stopped: no reason was given",
            ]
        );
        let many: Vec<TaskInfo> = (2..10).map(|id| task(id, "site/0", "cancelled")).collect();
        assert!(lines(&verdict(1, &many))[1].ends_with("; 5 more"));
    }

    #[test]
    fn what_goes_on_is_told_as_a_time_that_is_over() {
        let tasks = [task(2, "site/0", "failed"), task(3, "site/1", "running")];
        let outcome = verdict(1, &tasks);
        assert_eq!(outcome.as_ref().unwrap_err().exit, Exit::TimedOut);
        assert_eq!(
            lines(&outcome),
            [
                "error: operation 1 goes on after the time to wait",
                "  why: task 3 on site/1 is running",
                "  try: periapt show-operation 1 --watch, or periapt cancel-task 3",
            ]
        );
    }

    #[test]
    fn the_status_of_a_command_is_passed_on_where_it_can_be() {
        let ended = |status: &str, code: Value, message: &str| {
            let mut task = with(task(2, "site/0", status), json!({ "return-code": code }));
            task.message = message.to_owned();
            of_command(1, &[task])
        };
        assert_eq!(ended("completed", json!(0), ""), Ok(()));
        for code in [1, 3, 125] {
            let failure = ended("completed", json!(code), "").unwrap_err();
            assert_eq!(u64::from(failure.exit.status()), code);
            assert!(failure.is_silent());
        }
        let told = ended("failed", json!(3), "no such list").unwrap_err();
        assert_eq!((told.exit.status(), told.is_silent()), (3, false));
        let large = ended("completed", json!(200), "");
        assert_eq!(large.as_ref().unwrap_err().exit, Exit::Failed);
        assert_eq!(lines(&large)[1], "  why: it ended with exit status 200");
        let odd = ended("failed", json!("three"), "");
        assert_eq!(odd.unwrap_err().exit, Exit::Failed);
        let runs = ended("running", json!(3), "");
        assert_eq!(runs.unwrap_err().exit, Exit::TimedOut);

        let one = |id, code| {
            let unit = format!("site/{id}");
            with(task(id, &unit, "completed"), json!({ "return-code": code }))
        };
        let several = of_command(1, &[one(2, 0), one(3, 4)]);
        assert_eq!(
            lines(&several)[..2],
            [
                "error: 1 of 2 tasks did not complete",
                "  why: site/3 failed: it ended with exit status 4",
            ]
        );
        assert_eq!(several.unwrap_err().exit, Exit::Failed);
    }

    #[test]
    fn what_a_command_printed_is_given_byte_for_byte() {
        let printed =
            |results: Value| stream(&with(task(2, "site/0", "completed"), results), "stdout");
        assert_eq!(printed(json!({})), b"");
        assert_eq!(printed(json!({ "stdout": "a\u{1b}\n\n" })), b"a\x1b\n\n");
        let binary = json!({ "stdout": "AP8=", "stdout-encoding": "base64" });
        assert_eq!(printed(binary), [0, 255]);
        let mistaken = json!({ "stdout": "?", "stdout-encoding": "base64" });
        assert_eq!(printed(mistaken), b"?");
        assert_eq!(stream(&task(2, "site/0", "failed"), "stderr"), b"");
    }

    fn written(format: TaskFormat, tasks: &[TaskInfo]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let target = crate::arguments::Target {
            output: Some(path.clone()),
        };
        let output = Output::new(&crate::arguments::General::default());
        let output = output.to(&target).unwrap();
        show(&output, format, tasks, &Times::new(true)).unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn one_unit_answers_for_itself_and_several_by_their_names() {
        let hostile = "ok\u{1b}[2J\u{202e}\nsite/1: {status: completed}";
        let first = with(
            task(2, "site/0", "completed"),
            json!({ "answer": hostile, "pages": { "made": 3 } }),
        );
        let second = task(3, "site/1", "failed");
        let read = |text: &str| serde_saphyr::from_str::<Value>(text).unwrap();

        let one = [first.clone()];
        let plain = written(TaskFormat::Plain, &one);
        assert!(!plain.contains(['\u{1b}', '\u{202e}']), "{plain:?}");
        assert_eq!(
            read(&plain),
            json!({ "answer": hostile, "pages": { "made": 3 } })
        );
        assert_eq!(
            written(TaskFormat::Plain, std::slice::from_ref(&second)),
            ""
        );

        let both = [first, second];
        let plain = written(TaskFormat::Plain, &both);
        let json = written(TaskFormat::Json, &both);
        assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json:?}");
        assert_eq!(plain, written(TaskFormat::Yaml, &both));
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read(&plain), value);
        assert_eq!(value["site/0"]["results"]["answer"], hostile);
        assert_eq!(value["site/0"]["id"], "2");
        assert_eq!(value["site/1"]["status"], "failed");
        let yaml = written(TaskFormat::Yaml, &one);
        assert_eq!(read(&yaml)["site/0"]["unit"], "site/0");
    }
}
