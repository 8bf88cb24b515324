use super::*;
use crate::action::Task;
use crate::testing::unit;
use crate::{CallErrorCode, Effects};

#[test]
fn a_hook_asks_for_a_reboot_with_its_commit() {
    let mut txn = HookTxn::default();
    let mut agent = unit();
    txn.reboot(&mut agent).unwrap();
    txn.reboot(&mut agent).unwrap();
    let effects = txn.into_effects();
    assert!(effects.reboot.wanted && !effects.is_empty() && !effects.needs_leadership());
    assert_eq!(effects.in_words(), ["reboot of the machine"]);
    let text = serde_json::to_string(&effects).unwrap();
    assert_eq!(text, r#"{"reboot":true}"#);
    assert_eq!(serde_json::from_str::<Effects>(&text).unwrap(), effects);
}

#[test]
fn who_asks_for_none_changes_nothing() {
    let effects = HookTxn::default().into_effects();
    assert!(effects.reboot.changes_nothing() && effects.is_empty());
    assert_eq!(serde_json::from_str::<Effects>("{}").unwrap(), effects);
}

#[test]
fn an_action_asks_for_none_and_nothing_is_noted() {
    let mut txn = HookTxn::default();
    let mut agent = unit();
    agent.task = Some(Task::default());
    let refused = txn.reboot(&mut agent).unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Denied);
    assert!(
        refused.message.contains("ask for it in a hook"),
        "{refused}"
    );
    assert!(txn.into_effects().is_empty());
}
