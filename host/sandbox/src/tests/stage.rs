//! What a hook uses of its files is what is made ready, and what was committed never changes: every
//! run of [`Unit`] checks the latter.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::agent::{Unit, engine, load};
use super::guest::{Guest, OK};
use super::unit_files::Files;
use crate::{Directories, HookEvent, HookFailure, HookOutcome, HookRun};

const STATE: u32 = 4;
const TMP: u32 = 5;

const IMPORTS: &str = r#"
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_create_directory" (func $mkdir (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_remove_directory" (func $rmdir (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_unlink_file" (func $unlink (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_rename" (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_link" (func $link (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_symlink" (func $symlink (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_filestat_get" (func $stat (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_filestat_set_times" (func $times_at (param i32 i32 i32 i32 i64 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_set_times" (func $times (param i32 i64 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $prestat (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_fdstat_get" (func $fdstat (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))"#;

/// Where names and bytes are in the memory of the guest.
const DATA: &str = r#"
  (data (i32.const 2048) "file") (data (i32.const 2064) "deep") (data (i32.const 2080) "new")
  (data (i32.const 2096) "xyz")
  (func $at (param $descriptor i32) (param $name i32) (param $flags i32) (param $rights i64) (param $to i32) (result i32)
    (call $open (local.get $descriptor) (i32.const 1) (local.get $name) (i32.const 4)
      (local.get $flags) (local.get $rights) (i64.const 0) (i32.const 0) (local.get $to)))
  (func $bytes (param $address i32) (param $length i32) (result i32)
    (i32.store (i32.const 1100) (local.get $address))
    (i32.store (i32.const 1104) (local.get $length))
    (i32.const 1100))"#;

const FILE: &str = "(i32.const 2048) (i32.const 4)";
const DEEP: &str = "(i32.const 2064) (i32.const 4)";
const NEW: &str = "(i32.const 2080) (i32.const 3)";

/// A charm that takes these steps and fails with "boom" when one of them does.
fn charm(steps: &[String]) -> Vec<u8> {
    let each = steps.iter().map(|step| {
        format!("(local.set $i (i32.or (local.get $i) (i32.ne {step} (i32.const 0))))\n")
    });
    let each: String = each.collect();
    Guest {
        imports: IMPORTS,
        items: DATA,
        dispatch: &format!("{each} (select (i32.const 80) ({OK}) (local.get $i))"),
        ..Guest::default()
    }
    .component()
}

/// Steps that open `file` for reading, at 1024, and `deep`, at 1028.
fn opened() -> Vec<String> {
    vec![
        format!(
            "(call $at (i32.const {STATE}) (i32.const 2048) (i32.const 0) (i64.const 2) (i32.const 1024))"
        ),
        format!(
            "(call $at (i32.const {STATE}) (i32.const 2064) (i32.const 2) (i64.const 2) (i32.const 1028))"
        ),
    ]
}

fn unit() -> Unit {
    let unit = Unit::new();
    fs::write(unit.path("state/file"), "abc").unwrap();
    fs::create_dir(unit.path("state/deep")).unwrap();
    unit
}

/// What the hook did with the copy: whether it was made, and changed.
fn run(unit: &Unit, component: &[u8]) -> (HookOutcome, bool, bool) {
    let charm = load(component);
    let files = Arc::new(Files::new(unit.home.path()));
    let run = HookRun {
        charm: &charm,
        event: HookEvent::new("start"),
        environment: Vec::new(),
        directories: Directories {
            charm: unit.path("charm"),
            unit: files.clone(),
            temporary: unit.path("temporary"),
            shared: unit.shared.clone(),
            resources: Vec::new(),
            storage: Vec::new(),
        },
        limits: unit.limits.clone(),
    };
    let outcome = engine().run(run, Box::new(unit.context()));
    let found = (files.is_staged(), files.is_changed());
    files.end(false);
    (outcome, found.0, found.1)
}

#[test]
fn a_hook_that_uses_no_directory_needs_none() {
    let unit = unit();
    for name in ["charm", "state", "temporary"] {
        fs::remove_dir_all(unit.path(name)).unwrap();
    }
    // As a language does at start-up, and a line of output.
    let mut steps: Vec<_> = (3..6)
        .flat_map(|descriptor| {
            ["prestat", "fdstat"]
                .map(|call| format!("(call ${call} (i32.const {descriptor}) (i32.const 1200))"))
        })
        .collect();
    steps.push("(call $write (i32.const 1) (call $bytes (i32.const 2096) (i32.const 3)) (i32.const 1) (i32.const 1200))".to_owned());
    let (outcome, staged, _) = run(&unit, &charm(&steps));
    assert_eq!(outcome.result, Ok(()));
    assert!(!staged && outcome.usage.host_calls > 0);
    for name in ["charm", "state", "temporary"] {
        assert!(!unit.path(name).exists(), "{name}");
    }
}

#[test]
fn a_hook_that_reads_its_state_gets_no_copy() {
    let unit = unit();
    let mut steps = opened();
    steps.push(format!(
        "(call $stat (i32.const {STATE}) (i32.const 0) {FILE} (i32.const 1200))"
    ));
    steps.push("(call $read (i32.load (i32.const 1024)) (call $bytes (i32.const 1300) (i32.const 3)) (i32.const 1) (i32.const 1200))".to_owned());
    steps.push(
        "(i32.sub (i32.load16_u (i32.const 1300)) (i32.load16_u (i32.const 2096)))".to_owned(),
    );
    fs::write(unit.path("state/file"), "xyz").unwrap();
    let (outcome, staged, _) = run(&unit, &charm(&steps));
    assert_eq!(outcome.result, Ok(()));
    assert!(!staged);
    assert_eq!(outcome.usage.state_directory_bytes, 0);
}

#[test]
fn a_hook_sees_times_of_files_in_the_steps_of_its_clocks() {
    let unit = unit();
    let file = fs::File::options()
        .write(true)
        .open(unit.path("state/file"))
        .unwrap();
    let changed = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
    file.set_modified(changed).unwrap();
    let stat = format!("(call $stat (i32.const {STATE}) (i32.const 0) {FILE} (i32.const 1200))");
    let mut steps = vec![
        stat.clone(),
        "(i64.ne (i64.load (i32.const 1248)) (i64.const 1000000000123000000))".to_owned(),
        // The same for a file that it has just written.
        format!("(call $at (i32.const {STATE}) (i32.const 2048) (i32.const 8) (i64.const 64) (i32.const 1032))"),
        "(call $write (i32.load (i32.const 1032)) (call $bytes (i32.const 2096) (i32.const 3)) (i32.const 1) (i32.const 1300))".to_owned(),
        stat,
    ];
    steps.extend([1240, 1248, 1256].map(|time| {
        format!("(i32.wrap_i64 (i64.rem_u (i64.load (i32.const {time})) (i64.const 1000000)))")
    }));
    let (outcome, ..) = run(&unit, &charm(&steps));
    assert_eq!(outcome.result, Ok(()));
}

#[test]
fn every_way_to_change_files_changes_the_copy() {
    let file = "(i32.load (i32.const 1024))";
    let deep = "(i32.load (i32.const 1028))";
    let open = |flags: u32, rights: u32| {
        format!(
            "(call $at (i32.const {STATE}) (i32.const 2048) (i32.const {flags}) (i64.const {rights}) (i32.const 1032))"
        )
    };
    let ways = [
        ("open to write", open(0, 64)),
        ("open to create", open(1, 2)),
        ("open to truncate", open(8, 2)),
        ("make a directory", format!("(call $mkdir {deep} {NEW})")),
        (
            "remove a directory",
            format!("(call $rmdir (i32.const {STATE}) {DEEP})"),
        ),
        (
            "remove a file",
            format!("(call $unlink (i32.const {STATE}) {FILE})"),
        ),
        (
            "rename",
            format!("(call $rename (i32.const {STATE}) {FILE} {deep} {NEW})"),
        ),
        (
            "move away",
            format!("(call $rename (i32.const {STATE}) {FILE} (i32.const {TMP}) {NEW})"),
        ),
        (
            "link",
            format!("(call $link (i32.const {STATE}) (i32.const 0) {FILE} {deep} {NEW})"),
        ),
        (
            "symbolic link",
            format!("(call $symlink {FILE} {deep} {NEW})"),
        ),
        (
            "times",
            format!(
                "(call $times_at (i32.const {STATE}) (i32.const 0) {FILE} (i64.const 7) (i64.const 7) (i32.const 5))"
            ),
        ),
        (
            "times of what is open",
            format!("(call $times {file} (i64.const 7) (i64.const 7) (i32.const 5))"),
        ),
    ];
    for (what, way) in ways {
        // With handles of what was committed, and as the first thing a hook does.
        for mut steps in [opened(), Vec::new()] {
            if steps.is_empty() && way.contains("i32.load") {
                continue;
            }
            steps.push(way.clone());
            let (outcome, staged, changed) = run(&unit(), &charm(&steps));
            assert_eq!(outcome.result, Ok(()), "{what}");
            assert!(staged && changed, "{what}");
            unit().run(&charm(&steps)).result.unwrap();
        }
    }
}

#[test]
fn what_is_open_for_reading_cannot_be_written_to() {
    let file = "(i32.load (i32.const 1024))";
    for way in [
        format!("(call $size {file} (i64.const 1))"),
        format!(
            "(call $write {file} (call $bytes (i32.const 2096) (i32.const 3)) (i32.const 1) (i32.const 1200))"
        ),
    ] {
        let mut steps = opened();
        steps.push(way);
        let unit = unit();
        let result = unit.run(&charm(&steps)).result;
        assert_eq!(result, Err(HookFailure::Charm("boom".to_owned())));
    }
}

#[test]
fn a_change_that_is_refused_is_none() {
    let steps = [format!(
        "(i32.eqz (call $mkdir (i32.const {STATE}) {DEEP}))"
    )];
    let (outcome, staged, changed) = run(&unit(), &charm(&steps));
    assert_eq!(outcome.result, Ok(()));
    assert!(staged && !changed);
}

#[test]
fn what_was_opened_before_the_first_change_goes_on_in_the_copy() {
    let unit = unit();
    let read = |length: u32, to: u32| {
        format!(
            "(call $read (i32.load (i32.const 1024)) (call $bytes (i32.const {to}) (i32.const {length})) (i32.const 1) (i32.const 1200))"
        )
    };
    let mut steps = opened();
    steps.extend([
        // One byte of what was committed.
        read(1, 1300),
        "(i32.sub (i32.load8_u (i32.const 1300)) (i32.const 97))".to_owned(),
        // The file gets another content.
        format!("(call $at (i32.const {STATE}) (i32.const 2048) (i32.const 8) (i64.const 64) (i32.const 1032))"),
        "(call $write (i32.load (i32.const 1032)) (call $bytes (i32.const 2096) (i32.const 3)) (i32.const 1) (i32.const 1200))".to_owned(),
        // Who reads it goes on with that.
        read(2, 1302),
        "(i32.sub (i32.load16_u (i32.const 1302)) (i32.load16_u (i32.const 2097)))".to_owned(),
        // The open directory is that of the copy.
        format!("(call $mkdir (i32.load (i32.const 1028)) {NEW})"),
        // So is what is opened beneath it.
        "(call $at (i32.load (i32.const 1028)) (i32.const 2048) (i32.const 1) (i64.const 66) (i32.const 1036))".to_owned(),
        "(call $size (i32.load (i32.const 1036)) (i64.const 5))".to_owned(),
    ]);
    unit.run(&charm(&steps)).result.unwrap();
    assert_eq!(fs::read_to_string(unit.path("state/file")).unwrap(), "xyz");
    assert!(unit.path("state/deep/new").is_dir());
    assert_eq!(fs::metadata(unit.path("state/deep/file")).unwrap().len(), 5);
}
