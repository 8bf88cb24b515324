//! Storage: a directory at its own path, in which everything is there at once, and nothing beside it.

use std::fs;
use std::os::unix::fs::symlink;

use periapt_contract::storage::Declared;
use periapt_model::charm::Access;

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::{HookFailure, HookOutcome, StorageDirectory};

/// The storage among the preopens, behind the charm's own three.
const DATA: u32 = 6;

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;
const CREATE: u32 = 1;

/// Opens `path` of the storage and leaves `then`, or fails with "boom" when it cannot.
fn open_then(unit: &Unit, path: &str, flags: u32, rights: u64, then: &str) -> HookOutcome {
    let component = Guest {
        imports: r#"
          (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))"#,
        items: &format!(r#"(data (i32.const 2048) "{path}")"#),
        dispatch: &format!(
            "(select (i32.const 80) ({then})
               (call $open (i32.const {DATA}) (i32.const 1) (i32.const 2048) (i32.const {})
                 (i32.const {flags}) (i64.const {rights}) (i64.const 0) (i32.const 0) (i32.const 1600)))",
            path.len()
        ),
        ..Guest::default()
    };
    unit.run(&component.component())
}

fn open(unit: &Unit, path: &str, flags: u32, rights: u64) -> HookOutcome {
    open_then(unit, path, flags, rights, OK)
}

fn refused(outcome: HookOutcome) {
    assert_eq!(outcome.result, Err(HookFailure::Charm("boom".to_owned())));
}

fn with_storage(access: Access) -> Unit {
    let mut unit = Unit::new();
    let root = unit.path("storage");
    fs::create_dir_all(root.join("data-0")).unwrap();
    fs::create_dir_all(root.join("data-1")).unwrap();
    fs::write(root.join("data-0/file"), "mine").unwrap();
    fs::write(root.join("data-1/file"), "of another").unwrap();
    unit.storage = vec![StorageDirectory {
        id: "data/0".to_owned(),
        root,
        directory: "data-0".to_owned(),
        location: "/storage/data/0".to_owned(),
        access,
    }];
    unit
}

#[test]
fn what_is_written_to_a_storage_stays_also_when_the_hook_fails() {
    let unit = with_storage(Access::ReadWrite);
    open(&unit, "file", 0, READ).result.unwrap();
    let well = open(&unit, "well", CREATE, READ | WRITE);
    well.result.unwrap();
    assert_eq!(well.usage.state_directory_bytes, 0, "it is not counted");
    refused(open_then(&unit, "badly", CREATE, WRITE, ERROR));
    for file in ["well", "badly"] {
        assert!(unit.path("storage/data-0").join(file).exists(), "{file}");
    }
}

#[test]
fn a_storage_for_reading_is_never_written_to() {
    let unit = with_storage(Access::ReadOnly);
    open(&unit, "file", 0, READ).result.unwrap();
    refused(open(&unit, "file", 0, READ | WRITE));
    refused(open(&unit, "new", CREATE, WRITE));
    assert_eq!(fs::read(unit.path("storage/data-0/file")).unwrap(), b"mine");
    assert!(!unit.path("storage/data-0/new").exists());
}

#[test]
fn nothing_beside_a_storage_is_reached() {
    let unit = with_storage(Access::ReadWrite);
    symlink("../data-1/file", unit.path("storage/data-0/up")).unwrap();
    symlink("/etc", unit.path("storage/data-0/etc")).unwrap();
    for path in ["../data-1/file", "up", "etc/passwd", "..", "/etc/passwd"] {
        refused(open(&unit, path, 0, READ));
        refused(open(&unit, path, CREATE, WRITE));
    }
    let kept = fs::read(unit.path("storage/data-1/file")).unwrap();
    assert_eq!(kept, b"of another");
}

#[test]
fn a_hook_whose_storage_is_not_there_fails_and_says_which() {
    let mut unit = with_storage(Access::ReadWrite);
    fs::remove_dir_all(unit.path("storage/data-0")).unwrap();
    let missing = |unit: &Unit| {
        let failure = open(unit, "file", 0, READ).result.unwrap_err();
        assert_eq!(failure.code(), "storage-missing");
        assert!(failure.to_string().contains("data/0"), "{failure}");
    };
    missing(&unit);
    // A hook that does not look into it needs none.
    unit.run(&Guest::default().component()).result.unwrap();
    // Nobody may lead the agent elsewhere.
    symlink("data-1", unit.path("storage/data-0")).unwrap();
    missing(&unit);
    for directory in ["..", ".", "", "data-1/../data-1", "/etc"] {
        unit.storage[0].directory = directory.to_owned();
        missing(&unit);
    }
}

/// Returns ok when the byte at `address` is `value`, else the error.
fn expect(address: u32, value: u32) -> String {
    format!(
        "(if (i32.ne (i32.load8_u (i32.const {address})) (i32.const {value})) (then (return ({ERROR}))))"
    )
}

#[test]
fn a_charm_lists_looks_up_and_adds_storage() {
    let mut unit = with_storage(Access::ReadOnly);
    let room = |room, shared| Declared { room, shared };
    unit.declared_storage = [
        ("data".to_owned(), room(Some(2), false)),
        ("pool".to_owned(), room(Some(0), true)),
    ]
    .into();
    unit.hook_storage = Some("data/0".parse().unwrap());
    let component = Guest {
        imports: r#"
          (import "periapt:charm/storage@0.1.0" "ids" (func $ids (param i32 i32 i32 i32)))
          (import "periapt:charm/storage@0.1.0" "get" (func $get (param i32 i32 i32 i32)))
          (import "periapt:charm/storage@0.1.0" "add" (func $add (param i32 i32 i32 i32)))"#,
        items: r#"(data (i32.const 2048) "data") (data (i32.const 2060) "pool") (data (i32.const 2070) "data/7")"#,
        dispatch: &format!(
            "(call $ids (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024)) {ok} {one}
             (call $ids (i32.const 1) (i32.const 2060) (i32.const 4) (i32.const 1024)) {ok} {none}
             (call $get (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024)) {ok} {filesystem} {location} {read_only}
             (call $get (i32.const 1) (i32.const 2070) (i32.const 6) (i32.const 1024)) {refused}
             (call $add (i32.const 2060) (i32.const 4) (i32.const 1) (i32.const 1024)) {refused}
             (call $add (i32.const 2048) (i32.const 4) (i32.const 3) (i32.const 1024)) {refused}
             (call $add (i32.const 2048) (i32.const 4) (i32.const 2) (i32.const 1024)) {ok} {OK}",
            ok = expect(1024, 0),
            refused = expect(1024, 1),
            one = expect(1032, 1),
            none = expect(1032, 0),
            filesystem = expect(1036, 1),
            location = expect(1044, 15),
            read_only = expect(1048, 1),
        ),
        ..Guest::default()
    }
    .component();
    let outcome = unit.run(&component);
    outcome.result.unwrap();
    let added: Vec<_> = outcome.effects.storage.into_iter().collect();
    assert_eq!(added, [("data".to_owned(), 2)]);
    unit.restricted = true;
    assert!(unit.run(&component).result.is_err(), "in collect-metrics");
}
