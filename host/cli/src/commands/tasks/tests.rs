use clap::Parser;
use serde_json::{Value, json};

use super::*;
use crate::arguments::{Arguments, Command};

/// A task of operation 1 that was asked for at 10:38:00.
pub(super) fn task(id: TaskId, unit: &str, status: &str) -> TaskInfo {
    serde_json::from_value(json!({
        "id": id, "operation": 1, "unit": unit, "action": "rebuild", "status": status,
        "message": "", "enqueued-at": 1_795_257_480_000_000_i64, "parallel": false,
    }))
    .unwrap()
}

/// The same with these results.
pub(super) fn with(mut task: TaskInfo, results: Value) -> TaskInfo {
    task.results = results.as_object().cloned();
    task
}

pub(super) fn operation(tasks: Vec<TaskInfo>) -> OperationInfo {
    let mut operation: OperationInfo = serde_json::from_value(json!({
        "id": 1, "summary": "rebuild run on site/0", "status": "pending", "user": "admin",
        "enqueued-at": 1_795_257_480_000_000_i64, "tasks": [],
    }))
    .unwrap();
    operation.tasks = tasks;
    operation
}

fn asked(line: &str) -> Asked {
    let words = ["periapt", "run"]
        .into_iter()
        .chain(line.split_whitespace());
    match Arguments::try_parse_from(words).unwrap().command {
        Command::Tasks(Verb::Run(arguments)) => arguments.asked,
        other => panic!("{other:?}"),
    }
}

#[test]
fn flags_become_a_request() {
    let asked = |line: &str| asked(&format!("site/0 rebuild {line}"));
    let plain = asked("").request();
    assert_eq!(
        (plain.timeout, plain.parallel, plain.execution_group),
        (None, None, None)
    );
    let request = asked("--timeout 2m --parallel --execution-group disk").request();
    assert_eq!(
        (request.timeout, request.parallel),
        (Some(120_000), Some(true))
    );
    assert_eq!(request.execution_group.as_deref(), Some("disk"));
    assert_eq!(asked("--parallel=false").request().parallel, Some(false));
    assert_eq!(asked("--wait 0s").limit(), None);
    assert_eq!(asked("--wait 30").limit(), Some(Duration::from_secs(30)));
    let words = "periapt run site/0 rebuild --background --wait 5s".split(' ');
    assert!(Arguments::try_parse_from(words).is_err());
}

#[test]
fn what_was_begun_is_said_as_juju_says_it() {
    let one = operation(vec![task(2, "site/0", "pending")]);
    assert_eq!(
        running(&one),
        "Running operation 1 with 1 task\n  - task 2 on unit-site-0\n"
    );
    assert_eq!(
        in_background(&one),
        "Scheduled operation 1 with task 2\n\
         Check operation status with 'periapt show-operation 1'\n\
         Check task status with 'periapt show-task 2'"
    );
    let two = operation(vec![
        task(2, "site/0", "pending"),
        task(3, "site/1", "pending"),
    ]);
    assert!(running(&two).starts_with("Running operation 1 with 2 tasks\n"));
    assert_eq!(
        in_background(&two),
        "Scheduled operation 1 with 2 tasks\n\
         Check operation status with 'periapt show-operation 1'"
    );
    assert_eq!(
        left(&two).to_string(),
        "ERROR operation 1 continues\n  \
         why: you only interrupted the wait\n  \
         try: periapt cancel-task 2 3; or watch it: periapt show-operation 1 --watch"
    );
}

#[test]
fn a_unit_may_be_the_one_that_leads() {
    assert_eq!(target("site/0"), Ok("site/0".to_owned()));
    assert_eq!(target("site/leader"), Ok("site/leader".to_owned()));
    for bad in ["site", "site/", "site/x", "/leader", "site/0/leader", ""] {
        assert!(target(bad).is_err(), "{bad}");
    }
}

#[test]
fn what_is_not_there_is_told_in_the_words_that_clients_of_juju_look_for() {
    use periapt_model::Refusal;
    use periapt_model::refusal::Subject;
    use periapt_wire::Problem;

    let told = |refusal| {
        let problem = Problem::new(refusal).titled("unit \"site/42\" not found");
        refused(RestError::Problem(problem)).to_string()
    };
    let missing = told(Refusal::NotFound(Subject::Unit));
    assert!(missing.starts_with("ERROR unit \"site/42\" not found (not found): no task failed"));
    // An action that a charm does not have is a mistake in what was asked, with a status of its own.
    assert!(told(Refusal::NotFound(Subject::Action)).contains("(not found)"));
    assert!(!told(Refusal::BadRequest).contains("task failed"));
}
