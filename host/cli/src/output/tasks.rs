//! Tasks and operations as documents, in Juju's keys. What a charm answered and told is written as it
//! is; what hides in it is shown by how documents are written.

use periapt_model::charm::Parameters;
use periapt_model::task::{Results, TaskStatus};
use periapt_model::{MachineId, UnitName};
use periapt_wire::rest::{OperationInfo, TaskInfo};
use serde::Serialize;

use super::document::Named;
use super::time::Times;

/// A task: below its unit, below its number, or by itself, each with what is not said by where it is.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TaskDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a str>,
    /// The unit or the machine, as Juju calls it within an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<ActionDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a [String]>,
    status: TaskStatus,
    #[serde(skip_serializing_if = "str::is_empty")]
    message: &'a str,
    timing: Timing,
    #[serde(skip_serializing_if = "Option::is_none")]
    results: Option<&'a Results>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    log: Vec<String>,
}

impl<'a> TaskDocument<'a> {
    /// For a map by unit.
    pub fn of_unit(task: &'a TaskInfo, times: &Times) -> Self {
        Self {
            id: Some(task.id.to_string()),
            unit: task.unit.as_ref().map(UnitName::as_str),
            machine: task.machine.as_ref().map(MachineId::as_str),
            ..Self::bare(task, times)
        }
    }

    /// For a map by number, within an operation.
    fn of_operation(task: &'a TaskInfo, times: &Times) -> Self {
        Self {
            host: Some(task.receiver()),
            ..Self::bare(task, times)
        }
    }

    /// For itself.
    pub fn alone(task: &'a TaskInfo, times: &Times) -> Self {
        Self {
            id: Some(task.id.to_string()),
            operation: Some(task.operation.to_string()),
            unit: task.unit.as_ref().map(UnitName::as_str),
            machine: task.machine.as_ref().map(MachineId::as_str),
            action: ActionDocument::of(task),
            command: command(task),
            ..Self::bare(task, times)
        }
    }

    fn bare(task: &'a TaskInfo, times: &Times) -> Self {
        let lines = task.log.iter().flatten();
        Self {
            id: None,
            operation: None,
            unit: None,
            machine: None,
            host: None,
            action: None,
            command: None,
            status: task.status,
            message: &task.message,
            timing: Timing::of(task.enqueued_at, task.started_at, task.completed_at, times),
            results: task.results.as_ref().filter(|results| !results.is_empty()),
            log: lines
                .map(|line| format!("{} {}", times.micros(line.time), line.message))
                .collect(),
        }
    }
}

/// An operation with its tasks.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct OperationDocument<'a> {
    id: String,
    summary: &'a str,
    status: TaskStatus,
    /// Who asked; ours.
    user: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<ActionDocument<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'a [String]>,
    timing: Timing,
    tasks: Named<TaskDocument<'a>>,
}

impl<'a> OperationDocument<'a> {
    pub fn of(operation: &'a OperationInfo, times: &Times) -> Self {
        let tasks = operation.tasks.iter();
        let first = operation.tasks.first();
        Self {
            id: operation.id.to_string(),
            summary: &operation.summary,
            status: operation.status,
            user: &operation.user,
            action: first.and_then(ActionDocument::of),
            command: first.and_then(command),
            timing: Timing::of(
                operation.enqueued_at,
                operation.started_at,
                operation.completed_at,
                times,
            ),
            tasks: tasks
                .map(|task| (task.id.to_string(), TaskDocument::of_operation(task, times)))
                .collect(),
        }
    }
}

/// What an action is and was given.
#[derive(Serialize)]
struct ActionDocument<'a> {
    name: &'a str,
    parameters: &'a Parameters,
}

impl<'a> ActionDocument<'a> {
    fn of(task: &'a TaskInfo) -> Option<Self> {
        (!task.action.is_empty()).then_some(Self {
            name: &task.action,
            parameters: &task.parameters,
        })
    }
}

fn command(task: &TaskInfo) -> Option<&[String]> {
    Some(task.command.as_slice()).filter(|words| !words.is_empty())
}

#[derive(Serialize)]
struct Timing {
    enqueued: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    started: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    completed: String,
}

impl Timing {
    fn of(enqueued: i64, started: Option<i64>, completed: Option<i64>, times: &Times) -> Self {
        let shown = |time: Option<i64>| time.map_or_else(String::new, |time| times.micros(time));
        Self {
            enqueued: times.micros(enqueued),
            started: shown(started),
            completed: shown(completed),
        }
    }
}

#[cfg(test)]
mod tests {
    use periapt_model::text::is_hidden;
    use serde_json::{Value, json};

    use super::super::escape;
    use super::*;

    /// Text with which a charm tries to look like something else.
    const HOSTILE: &str = "ok\u{1b}[2J\u{202e}\nstatus: completed\n- \u{9b}31m: {";

    fn task(more: Value) -> TaskInfo {
        let mut task = json!({
            "id": 2, "operation": 1, "unit": "site/0", "action": "rebuild",
            "parameters": { "keep": { "days": 7 } }, "status": "failed", "message": HOSTILE,
            "enqueued-at": 1_795_257_480_000_000_i64, "started-at": 1_795_257_481_000_000_i64,
            "completed-at": 1_795_257_482_000_000_i64, "parallel": false,
            "results": { "answer": HOSTILE, "pages": { "made": 3 } },
            "log": [{ "time": 1_795_257_481_000_000_i64, "message": HOSTILE }],
        });
        for (key, value) in more.as_object().unwrap() {
            task[key] = value.clone();
        }
        serde_json::from_value(task).unwrap()
    }

    #[test]
    fn a_task_says_what_is_not_said_by_where_it_is() {
        let task = task(json!({ "message": "no room" }));
        let times = Times::new(true);
        let rest = json!({
            "status": "failed", "message": "no room",
            "timing": {
                "enqueued": "2026-11-21 10:38:00Z", "started": "2026-11-21 10:38:01Z",
                "completed": "2026-11-21 10:38:02Z",
            },
            "results": { "answer": HOSTILE, "pages": { "made": 3 } },
            "log": [format!("2026-11-21 10:38:01Z {HOSTILE}")],
        });
        let with = |more: Value| {
            let mut all = rest.clone();
            for (key, value) in more.as_object().unwrap() {
                all[key] = value.clone();
            }
            all
        };
        assert_eq!(
            serde_json::to_value(TaskDocument::of_unit(&task, &times)).unwrap(),
            with(json!({ "id": "2", "unit": "site/0" }))
        );
        assert_eq!(
            serde_json::to_value(TaskDocument::alone(&task, &times)).unwrap(),
            with(json!({
                "id": "2", "operation": "1", "unit": "site/0",
                "action": { "name": "rebuild", "parameters": { "keep": { "days": 7 } } },
            }))
        );
        let operation: OperationInfo = serde_json::from_value(json!({
            "id": 1, "summary": "rebuild run on site/0", "status": "failed", "user": "admin",
            "enqueued-at": 0, "tasks": [serde_json::to_value(&task).unwrap()],
        }))
        .unwrap();
        assert_eq!(
            serde_json::to_value(OperationDocument::of(&operation, &times)).unwrap(),
            json!({
                "id": "1", "summary": "rebuild run on site/0", "status": "failed", "user": "admin",
                "action": { "name": "rebuild", "parameters": { "keep": { "days": 7 } } },
                "timing": { "enqueued": "" },
                "tasks": { "2": with(json!({ "host": "site/0" })) },
            })
        );
    }

    #[test]
    fn a_task_of_a_machine_names_it_and_no_unit() {
        let task = task(json!({
            "unit": null, "machine": "0", "action": "", "command": ["df"], "parameters": {},
            "status": "completed", "message": "", "results": {}, "log": [],
        }));
        let times = Times::new(true);
        let alone = serde_json::to_value(TaskDocument::alone(&task, &times)).unwrap();
        assert_eq!(
            (&alone["machine"], &alone["unit"]),
            (&json!("0"), &Value::Null)
        );
        let within = serde_json::to_value(TaskDocument::of_operation(&task, &times)).unwrap();
        assert_eq!(within["host"], "machine-0");
    }

    #[test]
    fn a_task_that_waits_has_nothing_to_show_yet() {
        let mut task = task(json!({
            "status": "pending", "message": "", "action": "", "command": ["list", "--all"],
            "results": {}, "log": [],
        }));
        (task.started_at, task.completed_at) = (None, None);
        assert_eq!(
            serde_json::to_value(TaskDocument::alone(&task, &Times::new(true))).unwrap(),
            json!({
                "id": "2", "operation": "1", "unit": "site/0", "command": ["list", "--all"],
                "status": "pending", "timing": { "enqueued": "2026-11-21 10:38:00Z" },
            })
        );
    }

    #[test]
    fn what_a_charm_answers_hides_nothing_and_comes_back_as_it_was() {
        let task = task(json!({ "results": { "answer": HOSTILE, "\u{202e}key": "x" } }));
        let times = Times::new(true);
        for document in [
            TaskDocument::of_unit(&task, &times),
            TaskDocument::alone(&task, &times),
        ] {
            let value = serde_json::to_value(&document).unwrap();
            let yaml = escape::yaml(&document).unwrap();
            assert!(!yaml.contains(is_hidden), "{yaml:?}");
            assert_eq!(serde_saphyr::from_str::<Value>(&yaml).unwrap(), value);
            let json = escape::json(serde_json::to_string_pretty(&document).unwrap());
            assert!(!json.contains(is_hidden), "{json:?}");
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value);
        }
    }
}
