//! The contract, call by call, as a charm sees it.

use periapt_model::ports::PortRange;

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::LogLevel;

/// Returns ok when the byte at `address` is `value`, else the error.
fn expect(address: u32, value: u32) -> String {
    format!(
        "(if (i32.ne (i32.load8_u (i32.const {address})) (i32.const {value})) (then (return ({ERROR}))))"
    )
}

#[test]
fn a_hook_reads_its_own_writes_and_they_are_its_effects() {
    let component = Guest {
        imports: r#"
          (import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
          (import "periapt:charm/state@0.1.0" "get" (func $get (param i32 i32 i32)))
          (import "periapt:charm/state@0.1.0" "delete" (func $delete (param i32 i32 i32)))
          (import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))"#,
        items: r#"(data (i32.const 2048) "old") (data (i32.const 2060) "new") (data (i32.const 2070) "value")"#,
        dispatch: &format!(
            "(call $set (i32.const 2060) (i32.const 3) (i32.const 2070) (i32.const 5) (i32.const 1024))
             {set_ok}
             (call $get (i32.const 2060) (i32.const 3) (i32.const 1024))
             {get_ok} {some} {length}
             (call $delete (i32.const 2048) (i32.const 3) (i32.const 1024))
             (call $get (i32.const 2048) (i32.const 3) (i32.const 1024))
             {get_ok} {none}
             (call $open (i32.const 443) (i32.const 443) (i32.const 0) (i32.const 1024))
             {set_ok} {OK}",
            set_ok = expect(1024, 0),
            get_ok = expect(1024, 0),
            some = expect(1028, 1),
            none = expect(1028, 0),
            length = expect(1036, 5),
        ),
        ..Guest::default()
    }
    .component();
    let mut unit = Unit::new();
    unit.state.insert("old".into(), "1".into());
    let outcome = unit.run(&component);
    outcome.result.unwrap();
    assert_eq!(outcome.usage.host_calls, 5);
    let state: Vec<_> = outcome.effects.state.into_iter().collect();
    assert_eq!(
        state,
        [("new".into(), Some("value".into())), ("old".into(), None)]
    );
    assert_eq!(
        outcome.effects.ports.open,
        ["443/tcp".parse::<PortRange>().unwrap().into()]
    );
}

#[test]
fn options_that_do_not_exist_differ_from_options_without_value() {
    let get = |key: &str, checks: &str| {
        Guest {
            imports: r#"(import "periapt:charm/config@0.1.0" "get" (func $get (param i32 i32 i32)))"#,
            items: &format!(r#"(data (i32.const 2048) "{key}")"#),
            dispatch: &format!(
                "(call $get (i32.const 2048) (i32.const {}) (i32.const 1024)) {checks} {OK}",
                key.len()
            ),
            ..Guest::default()
        }
        .component()
    };
    let unit = Unit::new();
    // result<option<value>, error> is aligned to 8: tag, then at 8 the option or the code.
    let some_text = format!("{}{}{}", expect(1024, 0), expect(1032, 1), expect(1040, 0));
    unit.run(&get("greeting", &some_text)).result.unwrap();
    unit.run(&get(
        "unset",
        &format!("{}{}", expect(1024, 0), expect(1032, 0)),
    ))
    .result
    .unwrap();
    unit.run(&get(
        "absent",
        &format!("{}{}", expect(1024, 1), expect(1032, 1)),
    ))
    .result
    .unwrap();
}

#[test]
fn statuses_take_effect_at_once_and_not_every_word_is_a_charms() {
    let set = |function: &str, kind: u32, answer: u32, code: u32| {
        let code = if answer == 1 {
            expect(1028, code)
        } else {
            String::new()
        };
        Guest {
            imports: &format!(
                r#"(import "periapt:charm/status@0.1.0" "{function}" (func $set (param i32 i32 i32 i32)))"#
            ),
            items: r#"(data (i32.const 2048) "ready\1b[2J\nnow")"#,
            dispatch: &format!(
                "(call $set (i32.const {kind}) (i32.const 2048) (i32.const 13) (i32.const 1024)) {} {code} {OK}",
                expect(1024, answer)
            ),
            ..Guest::default()
        }
        .component()
    };
    let mut unit = Unit::new();
    unit.run(&set("unit-set", 3, 0, 0)).result.unwrap();
    unit.run(&set("unit-set", 5, 1, 0)).result.unwrap();
    unit.run(&set("application-set", 3, 1, 2)).result.unwrap();
    unit.leader = true;
    unit.run(&set("application-set", 3, 0, 0)).result.unwrap();
    let statuses: Vec<_> = unit
        .record
        .lock()
        .unwrap()
        .statuses
        .iter()
        .map(|(_, message)| message.clone())
        .collect();
    assert_eq!(statuses, ["ready now", "application: ready now"]);
}

#[test]
fn log_lines_are_clean_and_single() {
    let component = Guest {
        imports: r#"
          (import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))
          (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))"#,
        items: r#"(data (i32.const 2048) "one\n\1b]0;title\07two") (data (i32.const 2100) "no end")"#,
        dispatch: &format!(
            "(call $log (i32.const 4) (i32.const 2048) (i32.const 17))
             (i32.store (i32.const 1024) (i32.const 2100))
             (i32.store (i32.const 1028) (i32.const 6))
             (drop (call $write (i32.const 1) (i32.const 1024) (i32.const 1) (i32.const 1040))) {OK}"
        ),
        ..Guest::default()
    }
    .component();
    let unit = Unit::new();
    unit.run(&component).result.unwrap();
    let expected = [
        (LogLevel::Error, "one".to_owned()),
        (LogLevel::Error, "two".to_owned()),
        (LogLevel::Info, "no end".to_owned()),
    ];
    assert_eq!(unit.lines(), expected);
}

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    let component = Guest {
        imports: r#"(import "wasi_snapshot_preview1" "environ_sizes_get" (func $sizes (param i32 i32) (result i32)))"#,
        dispatch: &format!(
            "(drop (call $sizes (i32.const 1024) (i32.const 1028))) {} {} {OK}",
            expect(1024, 1),
            expect(1028, "UNIT=web/0\0".len() as u32)
        ),
        ..Guest::default()
    }
    .component();
    let mut unit = Unit::new();
    unit.environment = vec![("UNIT".into(), "web/0".into())];
    unit.run(&component).result.unwrap();
}

#[test]
fn a_hook_that_asks_for_nothing_has_no_effects() {
    let outcome = Unit::new().run(&Guest::default().component());
    outcome.result.unwrap();
    assert!(outcome.effects.is_empty());
    assert_eq!(outcome.usage.host_calls, 0);
    assert_eq!(outcome.usage.memory_bytes, 2 * 65536);
}

#[test]
fn the_agent_may_wait_for_its_runtime_within_a_call() {
    let component = Guest {
        imports: r#"(import "periapt:charm/leadership@0.1.0" "is-leader" (func $leader (param i32)))"#,
        dispatch: &format!(
            "(call $leader (i32.const 1024)) {} {} {OK}",
            expect(1024, 0),
            expect(1028, 1)
        ),
        ..Guest::default()
    }
    .component();
    for runtime in [
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap(),
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap(),
    ] {
        runtime.block_on(async {
            let charm = super::agent::load(&component);
            let hook = tokio::task::spawn_blocking(move || {
                let unit = Unit {
                    leader: true,
                    ..Unit::new()
                };
                unit.run_loaded(&charm).result
            });
            hook.await.unwrap().unwrap();
        });
    }
}

#[test]
fn a_restricted_context_has_metrics_and_log_and_denies_the_rest() {
    let component = Guest {
        imports: r#"
          (import "periapt:charm/metrics@0.1.0" "add" (func $add (param i32 i32 f64 i32 i32 i32)))
          (import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))
          (import "periapt:charm/config@0.1.0" "all" (func $config (param i32)))
          (import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
          (import "periapt:charm/status@0.1.0" "unit-set" (func $status (param i32 i32 i32 i32)))
          (import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
          (import "periapt:charm/unit@0.1.0" "private-address" (func $address (param i32)))"#,
        items: r#"(data (i32.const 2048) "pings")"#,
        dispatch: &format!(
            "(call $add (i32.const 2048) (i32.const 5) (f64.const 7.5) (i32.const 0) (i32.const 0) (i32.const 1024))
             {ok}
             (call $log (i32.const 2) (i32.const 2048) (i32.const 5))
             (call $config (i32.const 1024)) {refused} {denied}
             (call $set (i32.const 2048) (i32.const 5) (i32.const 2048) (i32.const 5) (i32.const 1024)) {refused} {denied}
             (call $status (i32.const 0) (i32.const 2048) (i32.const 5) (i32.const 1024)) {refused} {denied}
             (call $open (i32.const 443) (i32.const 443) (i32.const 0) (i32.const 1024)) {refused} {denied}
             (call $address (i32.const 1024)) {refused} {denied}
             {OK}",
            ok = expect(1024, 0),
            refused = expect(1024, 1),
            denied = expect(1028, 2),
        ),
        ..Guest::default()
    }
    .component();
    let mut unit = Unit::new();
    unit.restricted = true;
    let outcome = unit.run(&component);
    outcome.result.unwrap();
    assert!(outcome.effects.is_empty());
    let record = unit.record.lock().unwrap();
    assert_eq!(record.metrics, [("pings".to_owned(), 7.5)]);
    assert!(record.statuses.is_empty());
    assert_eq!(record.lines, [(LogLevel::Info, "pings".to_owned())]);
}
