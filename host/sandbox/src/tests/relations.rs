//! Relations as a charm sees them, call by call.

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::{Member, RelationInfo};

/// Returns ok when the byte at `address` is `value`, else the error.
fn expect(address: u32, value: u32) -> String {
    format!(
        "(if (i32.ne (i32.load8_u (i32.const {address})) (i32.const {value})) (then (return ({ERROR}))))"
    )
}

fn unit() -> Unit {
    let mut unit = Unit::new();
    unit.relations = vec![RelationInfo {
        id: 3,
        endpoint: "website".to_owned(),
        remote_application: "proxy".to_owned(),
        members: vec!["proxy/0".to_owned(), "proxy/1".to_owned()],
    }];
    let own = (3, Member::Unit("web/0".to_owned()));
    unit.settings.insert(own, Default::default());
    unit
}

const IMPORTS: &str = r#"
  (import "periapt:charm/relation@0.1.0" "ids" (func $ids (param i32 i32 i32)))
  (import "periapt:charm/relation@0.1.0" "units" (func $units (param i32 i32 i32)))
  (import "periapt:charm/relation@0.1.0" "get" (func $get (param i32 i32 i32 i32 i32)))
  (import "periapt:charm/relation@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32 i32)))
  (import "periapt:charm/leadership@0.1.0" "set" (func $tell (param i32 i32 i32)))
  (import "periapt:charm/network@0.1.0" "get" (func $network (param i32 i32 i32)))
  (import "periapt:charm/goal-state@0.1.0" "get" (func $goals (param i32)))"#;

const ITEMS: &str = r#"
  (data (i32.const 2048) "website") (data (i32.const 2060) "website:3")
  (data (i32.const 2080) "web/0") (data (i32.const 2100) "absent")
  (data (i32.const 2120) "\80\08\00\00\03\00\00\00\01\00\00\00\84\08\00\00\02\00\00\00")
  (data (i32.const 2176) "key") (data (i32.const 2180) "42")"#;

#[test]
fn a_charm_finds_its_relations_and_sets_its_settings() {
    let component = Guest {
        imports: IMPORTS,
        items: ITEMS,
        dispatch: &format!(
            "(call $ids (i32.const 2048) (i32.const 7) (i32.const 1024)) {ok} {one}
             (call $ids (i32.const 2100) (i32.const 6) (i32.const 1024)) {refused} {not_found}
             (call $units (i32.const 2060) (i32.const 9) (i32.const 1024)) {ok} {two}
             (call $set (i32.const 2060) (i32.const 9) (i32.const 0) (i32.const 2120) (i32.const 1) (i32.const 1024)) {ok}
             (call $get (i32.const 2060) (i32.const 9) (i32.const 2080) (i32.const 5) (i32.const 1024)) {ok} {one}
             (call $set (i32.const 2060) (i32.const 9) (i32.const 1) (i32.const 2120) (i32.const 1) (i32.const 1024)) {refused} {denied}
             (call $tell (i32.const 2120) (i32.const 1) (i32.const 1024)) {refused} {denied}
             (call $network (i32.const 2048) (i32.const 7) (i32.const 1024)) {ok} {one}
             (call $network (i32.const 2100) (i32.const 6) (i32.const 1024)) {refused} {not_found}
             (call $goals (i32.const 1024)) {ok} {one}
             {OK}",
            ok = expect(1024, 0),
            refused = expect(1024, 1),
            one = expect(1032, 1),
            two = expect(1032, 2),
            not_found = expect(1028, 1),
            denied = expect(1028, 2),
        ),
        ..Guest::default()
    }
    .component();
    let outcome = unit().run(&component);
    outcome.result.unwrap();
    let settings = &outcome.effects.relations[&3];
    assert_eq!(settings.unit["key"].as_deref(), Some("42"));
    assert!(settings.application.is_empty() && outcome.effects.leader.is_empty());
    let mut leader = unit();
    leader.leader = true;
    let failed = leader.run(&component);
    assert!(failed.result.is_err(), "a leader is not denied");
    assert!(failed.effects.is_empty());
}
