use serde_json::json;

use super::Task;
use crate::bounds::{RESULT_BYTES, RESULT_LEVELS, TASK_LINES};
use crate::testing::{Unit, unit};
use crate::{CallErrorCode, Effect, HookTxn};

fn running() -> Unit {
    let task = Task {
        id: "3".into(),
        name: "rebuild".into(),
        ..Task::default()
    };
    Unit {
        task: Some(task),
        ..unit()
    }
}

#[test]
fn a_hook_has_neither_results_nor_failure_nor_progress() {
    let (mut txn, mut context) = (HookTxn::default(), unit());
    let denied = |answer: Result<(), crate::CallError>| {
        assert_eq!(answer.unwrap_err().code, CallErrorCode::Denied);
    };
    denied(txn.action_set(&mut context, "{}"));
    denied(txn.action_fail(&mut context, "no"));
    denied(txn.action_log(&mut context, "half"));
    denied(txn.action_return(&mut context, 1));
    assert!(txn.into_effects().is_empty());
}

#[test]
fn results_are_merged_and_the_last_failure_counts() {
    let (mut txn, mut context) = (HookTxn::default(), running());
    let mut set = |results: serde_json::Value| {
        txn.action_set(&mut context, &results.to_string()).unwrap();
    };
    set(json!({"pages": {"built": 2}, "size": 1}));
    set(json!({"pages": {"skipped": 1}, "size": "large"}));
    txn.action_fail(&mut context, "first").unwrap();
    txn.action_fail(&mut context, "disk\nfull").unwrap();
    let outcome = txn.into_effects().action;
    assert_eq!(
        serde_json::Value::Object(outcome.results.clone()),
        json!({"pages": {"built": 2, "skipped": 1}, "size": "large"})
    );
    assert_eq!(outcome.failure.as_deref(), Some("disk full"));
    assert_eq!(outcome.words(), ["result pages", "result size", "failure"]);
}

#[test]
fn keys_are_as_in_juju_and_some_are_the_agents() {
    let (mut txn, mut context) = (HookTxn::default(), running());
    for wrong in ["Upper", "under_score", "-a", "a-", "", "ä", "a.b"] {
        let results = json!({ "outer": { wrong: 1 } }).to_string();
        let error = txn.action_set(&mut context, &results).unwrap_err();
        assert_eq!(error.code, CallErrorCode::Invalid, "{wrong}");
    }
    for reserved in super::RESERVED_RESULTS {
        let results = json!({ *reserved: 1 }).to_string();
        let error = txn.action_set(&mut context, &results).unwrap_err();
        assert_eq!(error.code, CallErrorCode::Invalid, "{reserved}");
        let within = json!({ "within": { *reserved: 1 } }).to_string();
        txn.action_set(&mut context, &within).unwrap();
    }
    for no_object in ["", "1", "[]", "null", "{"] {
        let error = txn.action_set(&mut context, no_object).unwrap_err();
        assert_eq!(error.code, CallErrorCode::Invalid, "{no_object}");
    }
}

#[test]
fn results_and_progress_have_bounds() {
    let (mut txn, mut context) = (HookTxn::default(), running());
    let most = RESULT_BYTES.length() - "{\"a\":\"\"}".len();
    let mut set = |bytes: usize| {
        let results = json!({"a": "x".repeat(bytes)}).to_string();
        txn.action_set(&mut context, &results)
            .map_err(|error| error.code)
    };
    assert_eq!(set(most + 1), Err(CallErrorCode::Limit));
    assert_eq!(set(most), Ok(()));
    let mut deep = json!(1);
    for _ in 0..RESULT_LEVELS.length() {
        deep = json!({ "a": deep });
    }
    let (mut txn, mut context) = (HookTxn::default(), running());
    txn.action_set(&mut context, &deep.to_string()).unwrap();
    let deeper = json!({ "a": deep }).to_string();
    let error = txn.action_set(&mut context, &deeper).unwrap_err();
    assert_eq!(error.code, CallErrorCode::Limit);
    for _ in 0..TASK_LINES.length() {
        txn.action_log(&mut context, "on").unwrap();
    }
    let error = txn.action_log(&mut context, "on").unwrap_err();
    assert_eq!(error.code, CallErrorCode::Limit);
    let told = context.record.lock().unwrap().task_lines.len();
    assert_eq!(told, TASK_LINES.length());
}
