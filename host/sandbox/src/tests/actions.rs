//! Actions: what one is asked for, what it answers, and its end when nobody wants it any more.

use std::sync::atomic::Ordering;
use std::time::Duration;

use periapt_contract::action::Task;
use serde_json::json;

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::HookFailure;

/// Calls `set` with results of its own, `fail`, `log` and `set-return-code`, and returns ok if `set` did.
fn acting(results: &str) -> Vec<u8> {
    Guest {
        imports: r#"
          (import "periapt:charm/action@0.1.0" "set" (func $set (param i32 i32 i32)))
          (import "periapt:charm/action@0.1.0" "fail" (func $fail (param i32 i32 i32)))
          (import "periapt:charm/action@0.1.0" "log" (func $log (param i32 i32 i32)))
          (import "periapt:charm/action@0.1.0" "set-return-code" (func $code (param i32 i32)))"#,
        items: &format!(
            r#"(data (i32.const 2048) "{}") (data (i32.const 3000) "half")"#,
            results.replace('"', "\\22")
        ),
        dispatch: &format!(
            "(call $set (i32.const 2048) (i32.const {}) (i32.const 1024))
             (if (i32.ne (i32.load8_u (i32.const 1024)) (i32.const 0)) (then (return ({ERROR}))))
             (call $fail (i32.const 3000) (i32.const 4) (i32.const 1024))
             (call $log (i32.const 3000) (i32.const 4) (i32.const 1024))
             (call $code (i32.const 3) (i32.const 1024)) {OK}",
            results.len()
        ),
        ..Guest::default()
    }
    .component()
}

#[test]
fn an_action_answers_and_a_hook_may_not() {
    let mut unit = Unit::new();
    let component = acting(r#"{"built":3}"#);
    assert!(
        matches!(unit.run(&component).result, Err(HookFailure::Charm(_))),
        "in a hook"
    );
    unit.task = Some(Task {
        id: "1".to_owned(),
        name: "rebuild".to_owned(),
        ..Task::default()
    });
    let outcome = unit.run(&component);
    outcome.result.unwrap();
    let answer = outcome.effects.action;
    assert_eq!(
        serde_json::Value::Object(answer.results),
        json!({"built": 3})
    );
    assert_eq!(
        (answer.failure.as_deref(), answer.return_code),
        (Some("half"), 3)
    );
    assert_eq!(unit.record.lock().unwrap().task_lines, ["half"]);
    let refused = unit.run(&acting(r#"{"Built":3}"#));
    assert!(
        matches!(refused.result, Err(HookFailure::Charm(_))),
        "no key of a result"
    );
}

#[test]
fn what_is_cancelled_is_stopped_in_the_middle_of_a_loop() {
    let component = Guest {
        dispatch: "(loop $again (br $again)) unreachable",
        ..Guest::default()
    }
    .component();
    let unit = Unit::new();
    let cancelled = unit.cancelled.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        cancelled.store(true, Ordering::Relaxed);
    });
    let outcome = unit.run(&component);
    assert_eq!(outcome.result, Err(HookFailure::Cancelled));
    assert!(outcome.effects.is_empty());
}
