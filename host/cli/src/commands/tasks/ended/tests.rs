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
            "ERROR the following task failed: 3 on site/1",
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
            "ERROR 2 of 3 tasks did not complete",
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
            "ERROR timed out waiting for operation 1, which continues",
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
        of_command(1, &[task], true)
    };
    assert_eq!(ended("completed", json!(0), ""), Ok(()));
    for code in [1, 3, 125] {
        let failure = ended("completed", json!(code), "").unwrap_err();
        assert_eq!(u64::from(failure.exit.status()), code);
        assert!(failure.is_silent());
    }
    let told = ended("failed", json!(3), "no such list").unwrap_err();
    assert_eq!((told.exit.status(), told.is_silent()), (3, false));
    // A document does not tell what a shell is told.
    let shown = with(task(2, "site/0", "completed"), json!({ "return-code": 3 }));
    let told = of_command(1, &[shown], false).unwrap_err();
    assert_eq!((told.exit.status(), told.is_silent()), (3, false));
    assert!(told.to_string().contains("task failed"), "{told}");
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
    let several = of_command(1, &[one(2, 0), one(3, 4)], true);
    assert_eq!(
        lines(&several)[..2],
        [
            "ERROR 1 of 2 tasks did not complete",
            "  why: site/3 failed: it ended with exit status 4",
        ]
    );
    assert_eq!(several.unwrap_err().exit, Exit::Failed);
}

#[test]
fn what_a_command_printed_is_given_byte_for_byte() {
    let printed = |results: Value| stream(&with(task(2, "site/0", "completed"), results), "stdout");
    assert_eq!(printed(json!({})), b"");
    assert_eq!(printed(json!({ "stdout": "a\u{1b}\n\n" })), b"a\x1b\n\n");
    let binary = json!({ "stdout": "AP8=", "stdout-encoding": "base64" });
    assert_eq!(printed(binary), [0, 255]);
    let mistaken = json!({ "stdout": "?", "stdout-encoding": "base64" });
    assert_eq!(printed(mistaken), b"?");
    let none = task(2, "site/0", "failed");
    assert_eq!(stream(&none, "stderr"), b"");
    assert_eq!(written(|output| streams(output, &none).unwrap()), b"");
    let two = with(none, json!({ "stdout": "one\n\u{7}two", "return-code": 3 }));
    let bytes = written(|output| streams(output, &two).unwrap());
    assert_eq!(bytes, b"one\n\x07two");
}

/// What goes to a file.
fn written(write: impl Fn(&Output)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let target = crate::arguments::Target {
        output: Some(path.clone()),
    };
    let output = Output::new(&crate::arguments::General::default());
    let output = output.to(&target).unwrap();
    write(&output);
    std::fs::read(path).unwrap()
}

fn shown(format: TaskFormat, tasks: &[TaskInfo]) -> String {
    let times = Times::new(true);
    let bytes = written(|output| show(output, format, tasks, &times).unwrap());
    String::from_utf8(bytes).unwrap()
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
    let plain = shown(TaskFormat::Plain, &one);
    assert!(!plain.contains(['\u{1b}', '\u{202e}']), "{plain:?}");
    assert_eq!(
        read(&plain),
        json!({ "answer": hostile, "pages": { "made": 3 } })
    );
    assert_eq!(shown(TaskFormat::Plain, std::slice::from_ref(&second)), "");

    let both = [first, second];
    let plain = shown(TaskFormat::Plain, &both);
    let json = shown(TaskFormat::Json, &both);
    assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json:?}");
    assert_eq!(plain, shown(TaskFormat::Yaml, &both));
    let value: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(read(&plain), value);
    assert_eq!(value["site/0"]["results"]["answer"], hostile);
    assert_eq!(value["site/0"]["id"], "2");
    assert_eq!(value["site/1"]["status"], "failed");
    let yaml = shown(TaskFormat::Yaml, &one);
    assert_eq!(read(&yaml)["site/0"]["unit"], "site/0");
}
