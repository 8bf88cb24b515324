//! Charms that try to take more than they were given.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use periapt_model::hook::Effects;

use super::agent::{Unit, load};
use super::guest::{ERROR, Guest, OK};
use crate::{HookFailure, HookOutcome};

const IS_LEADER: &str = r#"
  (import "periapt:charm/leadership@0.1.0" "is-leader" (func $is_leader (param i32)))"#;
const LOG: &str = r#"
  (import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))"#;
const STATE_SET: &str = r#"
  (import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))"#;

fn failed(outcome: HookOutcome) -> HookFailure {
    assert_eq!(outcome.effects, Effects::default());
    outcome.result.unwrap_err()
}

fn endless() -> Vec<u8> {
    Guest {
        dispatch: "(loop $again (br $again)) unreachable",
        ..Guest::default()
    }
    .component()
}

#[test]
fn an_endless_loop_meets_the_deadline() {
    let mut unit = Unit::new();
    unit.limits.wall_clock_ms = 150;
    let charm = load(&endless());
    let begun = Instant::now();
    let failure = failed(unit.run_loaded(&charm));
    assert_eq!(
        failure,
        HookFailure::Deadline {
            limit: Duration::from_millis(150)
        }
    );
    assert_eq!(failure.to_string(), "the hook did not end within 0.15 s");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_hook_lets_others_on_again_and_again_while_it_computes() {
    let unit = Unit::new();
    let (record, cancelled) = (unit.record.clone(), unit.cancelled.clone());
    let watching = std::thread::spawn(move || {
        while record.lock().unwrap().let_on < 2 {
            std::thread::yield_now();
        }
        cancelled.store(true, Ordering::Relaxed);
    });
    assert_eq!(failed(unit.run(&endless())).code(), "cancelled");
    watching.join().unwrap();
    let record = unit.record.lock().unwrap();
    assert_eq!((record.rested, record.went_on), (0, 0));
}

#[test]
fn neighbours_work_while_others_loop() {
    let endless = load(&endless());
    let calm = load(&Guest::default().component());
    std::thread::scope(|scope| {
        let loops: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut unit = Unit::new();
                    unit.limits.wall_clock_ms = 400;
                    failed(unit.run_loaded(&endless)).code()
                })
            })
            .collect();
        let unit = Unit::new();
        for _ in 0..50 {
            unit.run_loaded(&calm).result.unwrap();
        }
        for outcome in loops {
            assert_eq!(outcome.join().unwrap(), "deadline");
        }
        unit.run_loaded(&calm).result.unwrap();
    });
}

#[test]
fn more_hooks_than_slots_wait_their_turn() {
    let charm = load(&Guest::default().component());
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| Unit::new().run_loaded(&charm).result.unwrap());
        }
    });
}

/// Sleeps for so many nanoseconds, by a relative timer on the monotonic clock.
fn asleep(nanoseconds: u64) -> Vec<u8> {
    let sleep = format!(
        "(i64.store (i32.const 1024) (i64.const 0))
      (i32.store8 (i32.const 1032) (i32.const 0))
      (i32.store (i32.const 1040) (i32.const 1))
      (i64.store (i32.const 1048) (i64.const {nanoseconds}))
      (drop (call $poll (i32.const 1024) (i32.const 1200) (i32.const 1) (i32.const 1400)))"
    );
    Guest {
        imports: r#"(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))"#,
        dispatch: &format!("{sleep} {OK}"),
        ..Guest::default()
    }
    .component()
}

#[test]
fn a_hook_has_no_place_while_it_sleeps_and_one_again_before_it_goes_on() {
    let unit = Unit::new();
    unit.run(&asleep(20_000_000)).result.unwrap();
    let record = unit.record.lock().unwrap();
    assert!(record.rested > 0);
    assert_eq!(record.went_on, record.rested);
}

#[test]
fn sleeping_inside_the_host_meets_the_deadline() {
    let component = asleep(1 << 60);
    let mut unit = Unit::new();
    unit.limits.wall_clock_ms = 200;
    assert_eq!(failed(unit.run(&component)).code(), "deadline");
    // Inside a runtime the timer is the runtime's.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let charm = load(&component);
    let failure = runtime.block_on(async {
        tokio::task::spawn_blocking(move || failed(unit.run_loaded(&charm)))
            .await
            .unwrap()
    });
    assert_eq!(failure.code(), "deadline");
}

#[test]
fn a_memory_bomb_is_named() {
    let component = Guest {
        dispatch: "(loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) unreachable",
        ..Guest::default()
    }
    .component();
    let unit = Unit::new();
    let outcome = unit.run(&component);
    assert!(outcome.usage.memory_bytes <= unit.limits.memory_bytes);
    assert!(outcome.usage.memory_bytes >= unit.limits.memory_bytes - (2 << 20));
    assert_eq!(
        failed(outcome),
        HookFailure::MemoryLimit { limit: 64 << 20 }
    );
}

#[test]
fn memory_at_start_counts() {
    let mut unit = Unit::new();
    unit.limits.memory_bytes = 1 << 20;
    let component = Guest {
        pages: 17,
        ..Guest::default()
    }
    .component();
    assert_eq!(failed(unit.run(&component)).code(), "memory-limit");
}

#[test]
fn a_charm_that_copes_without_memory_goes_on() {
    let component = Guest {
        dispatch: &format!("(drop (memory.grow (i32.const 3000))) {OK}"),
        ..Guest::default()
    }
    .component();
    Unit::new().run(&component).result.unwrap();
}

#[test]
fn a_table_bomb_is_named() {
    let component = Guest {
        items: "(table $t 1 funcref)",
        dispatch: "(loop $more (br_if $more (i32.ge_s (table.grow $t (ref.null func) (i32.const 1000)) (i32.const 0)))) unreachable",
        ..Guest::default()
    }
    .component();
    assert_eq!(
        failed(Unit::new().run(&component)),
        HookFailure::TableLimit { limit: 20_000 }
    );
}

#[test]
fn deep_recursion_ends_in_words() {
    let component = Guest {
        items: "(func $deep (param i32) (result i32) (i32.add (i32.const 1) (call $deep (i32.add (local.get 0) (i32.const 1)))))",
        dispatch: &format!("(drop (call $deep (i32.const 0))) {OK}"),
        ..Guest::default()
    }
    .component();
    let failure = failed(Unit::new().run(&component));
    assert_eq!(
        failure.to_string(),
        "the charm crashed: its call stack is exhausted"
    );
}

#[test]
fn a_flood_of_output_is_cut() {
    let component = Guest {
        imports: r#"(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))"#,
        items: r#"(data (i32.const 2048) "all work and no play makes jack a dull boy\n")"#,
        dispatch: r#"
          (i32.store (i32.const 1024) (i32.const 2048))
          (i32.store (i32.const 1028) (i32.const 43))
          (loop $again
            (drop (call $write (i32.const 1) (i32.const 1024) (i32.const 1) (i32.const 1040)))
            (br $again))
          unreachable"#,
        ..Guest::default()
    }
    .component();
    let mut unit = Unit::new();
    unit.limits.output_bytes = 10_000;
    let outcome = unit.run(&component);
    assert!(outcome.usage.output_bytes <= 10_000);
    assert_eq!(failed(outcome), HookFailure::OutputLimit { limit: 10_000 });
    assert_eq!(unit.lines().len(), 10_000 / 43);
}

#[test]
fn the_log_has_the_same_budget() {
    let component = Guest {
        imports: LOG,
        dispatch: "(loop $again (call $log (i32.const 2) (i32.const 0) (i32.const 4000)) (br $again)) unreachable",
        ..Guest::default()
    }
    .component();
    assert_eq!(failed(Unit::new().run(&component)).code(), "output-limit");
}

#[test]
fn a_million_host_calls_are_too_many() {
    let component = Guest {
        imports: IS_LEADER,
        dispatch: &format!(
            "(loop $again (call $is_leader (i32.const 1024))
               (local.set $i (i32.add (local.get $i) (i32.const 1)))
               (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000)))) {OK}"
        ),
        ..Guest::default()
    }
    .component();
    assert_eq!(
        failed(Unit::new().run(&component)),
        HookFailure::HostCallLimit { limit: 100_000 }
    );
}

#[test]
fn calls_of_wasi_count_as_well() {
    let component = Guest {
        imports: r#"(import "wasi_snapshot_preview1" "clock_time_get" (func $now (param i32 i64 i32) (result i32)))"#,
        dispatch: &format!(
            "(loop $again (drop (call $now (i32.const 1) (i64.const 0) (i32.const 1024)))
               (local.set $i (i32.add (local.get $i) (i32.const 1)))
               (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000)))) {OK}"
        ),
        ..Guest::default()
    }
    .component();
    assert_eq!(
        failed(Unit::new().run(&component)).code(),
        "host-call-limit"
    );
}

#[test]
fn strings_outside_memory_are_refused() {
    for (address, length) in [
        ("0x7fffffff", "0x7fffffff"),
        ("131000", "100000"),
        ("0", "-1"),
    ] {
        let component = Guest {
            imports: LOG,
            dispatch: &format!(
                "(call $log (i32.const 2) (i32.const {address}) (i32.const {length})) {OK}"
            ),
            ..Guest::default()
        }
        .component();
        let outcome = Unit::new().run(&component);
        assert!(outcome.result.is_err(), "{address} {length}");
    }
}

#[test]
fn a_forged_enum_value_is_refused() {
    let component = Guest {
        imports: LOG,
        dispatch: &format!("(call $log (i32.const 99) (i32.const 96) (i32.const 4)) {OK}"),
        ..Guest::default()
    }
    .component();
    let unit = Unit::new();
    assert!(unit.run(&component).result.is_err());
    assert_eq!(unit.lines(), []);
}

#[test]
fn a_trap_tells_its_last_words_and_commits_nothing() {
    let component = Guest {
        imports: &format!(
            r#"{STATE_SET} (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))"#
        ),
        items: r#"(data (i32.const 2048) "panicked at \1b[31msrc/lib.rs\1b[0m:7\n")"#,
        dispatch: r#"
          (call $set (i32.const 96) (i32.const 4) (i32.const 96) (i32.const 4) (i32.const 1024))
          (i32.store (i32.const 1024) (i32.const 2048))
          (i32.store (i32.const 1028) (i32.const 34))
          (drop (call $write (i32.const 2) (i32.const 1024) (i32.const 1) (i32.const 1040)))
          unreachable"#,
        ..Guest::default()
    }
    .component();
    let failure = failed(Unit::new().run(&component));
    assert_eq!(
        failure.to_string(),
        "the charm crashed: it panicked or aborted (last output: panicked at src/lib.rs:7)"
    );
}

#[test]
fn an_error_is_the_charms_own_words_and_commits_nothing() {
    let component = Guest {
        imports: STATE_SET,
        dispatch: &format!(
            "(call $set (i32.const 96) (i32.const 4) (i32.const 96) (i32.const 4) (i32.const 1024)) {ERROR}"
        ),
        ..Guest::default()
    }
    .component();
    assert_eq!(
        failed(Unit::new().run(&component)),
        HookFailure::Charm("boom".to_owned())
    );
}

#[test]
fn leaving_is_not_returning() {
    let component = Guest {
        imports: r#"(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))"#,
        dispatch: "(call $exit (i32.const 3)) unreachable",
        ..Guest::default()
    }
    .component();
    let failure = failed(Unit::new().run(&component));
    // WASI 0.2 knows only success and failure.
    assert_eq!(
        failure,
        HookFailure::Exited {
            status: 1,
            last_output: None
        }
    );
}
