//! Reboots: asked for with the commit, and at once, which ends the hook.

use periapt_contract::action::Task;

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::HookFailure;

/// Calls one function of the interface. Returns an error where it was refused, else ok.
fn asking(function: &str) -> Vec<u8> {
    Guest {
        imports: &format!(
            r#"(import "periapt:charm/reboot@0.1.0" "{function}" (func $ask (param i32)))"#
        ),
        dispatch: &format!(
            "(call $ask (i32.const 1024))
             (if (i32.ne (i32.load8_u (i32.const 1024)) (i32.const 0)) (then (return ({ERROR}))))
             {OK}"
        ),
        ..Guest::default()
    }
    .component()
}

#[test]
fn a_reboot_that_is_asked_for_is_an_effect_and_one_at_once_ends_the_hook() {
    let unit = Unit::new();
    let outcome = unit.run(&asking("request"));
    outcome.result.unwrap();
    assert!(outcome.effects.reboot.wanted);
    let outcome = unit.run(&asking("now"));
    assert_eq!(outcome.result, Err(HookFailure::Reboot));
    assert!(outcome.effects.is_empty());
}

#[test]
fn an_action_is_refused_and_goes_on() {
    let mut unit = Unit::new();
    unit.task = Some(Task::default());
    for function in ["request", "now"] {
        let outcome = unit.run(&asking(function));
        assert_eq!(
            outcome.result,
            Err(HookFailure::Charm("boom".to_owned())),
            "{function}"
        );
    }
}

#[test]
fn an_interface_that_is_not_granted_is_refused_and_the_others_are_answered() {
    let mut unit = Unit::new();
    unit.withheld = vec!["secret", "credential"];
    unit.run(&asking("request")).result.unwrap();
    unit.withheld.push("reboot");
    for function in ["request", "now"] {
        let outcome = unit.run(&asking(function));
        assert_eq!(
            outcome.result,
            Err(HookFailure::Charm("boom".to_owned())),
            "{function}"
        );
        assert!(outcome.effects.is_empty());
    }
}
