//! Resources: there once the hook has asked, to be read and nothing else.

use std::os::unix::fs::symlink;

use super::agent::Unit;
use super::guest::{ERROR, Guest, OK};
use crate::{HookFailure, HookOutcome};

/// The resource among the preopens, behind the charm's own three.
const THEME: u32 = 6;

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;
const CREATE: u32 = 1;

/// Opens `path` of the resource, after asking for it or without, and fails with "boom" when it cannot.
fn open(unit: &Unit, asks: Option<&str>, path: &str, flags: u32, rights: u64) -> HookOutcome {
    let ask = asks.map_or(String::new(), |name| {
        format!(
            "(call $get (i32.const 3000) (i32.const {}) (i32.const 1024))
             (if (i32.load8_u (i32.const 1024)) (then (return ({ERROR}))))",
            name.len()
        )
    });
    let component = Guest {
        imports: r#"
          (import "periapt:charm/resources@0.1.0" "get" (func $get (param i32 i32 i32)))
          (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))"#,
        items: &format!(
            r#"(data (i32.const 2048) "{path}") (data (i32.const 3000) "{}")"#,
            asks.unwrap_or_default()
        ),
        dispatch: &format!(
            "{ask} (select (i32.const 80) ({OK})
               (call $open (i32.const {THEME}) (i32.const 1) (i32.const 2048) (i32.const {})
                 (i32.const {flags}) (i64.const {rights}) (i64.const 0) (i32.const 0) (i32.const 1600)))",
            path.len()
        ),
        ..Guest::default()
    };
    unit.run(&component.component())
}

fn refused(outcome: HookOutcome) {
    assert_eq!(outcome.result, Err(HookFailure::Charm("boom".to_owned())));
}

fn themed() -> Unit {
    let mut unit = Unit::new();
    unit.resources = vec!["theme".to_owned()];
    std::fs::create_dir_all(unit.path("resources/theme")).unwrap();
    std::fs::write(unit.path("resources/theme/file"), "red").unwrap();
    unit
}

#[test]
fn a_resource_is_read_once_the_hook_has_asked_for_it() {
    let unit = themed();
    refused(open(&unit, None, "file", 0, READ));
    open(&unit, Some("theme"), "file", 0, READ).result.unwrap();
    refused(open(&unit, Some("theme"), "other", 0, READ));
    refused(open(&unit, Some("logo"), "file", 0, READ));
    // Nobody attached it.
    std::fs::remove_dir_all(unit.path("resources")).unwrap();
    refused(open(&unit, Some("theme"), "file", 0, READ));
}

#[test]
fn a_resource_is_never_written_to_and_nothing_beside_it_is_reached() {
    let unit = themed();
    std::fs::create_dir_all(unit.path("resources/other")).unwrap();
    std::fs::write(unit.path("resources/other/file"), "blue").unwrap();
    symlink("../other/file", unit.path("resources/theme/up")).unwrap();
    for asks in [None, Some("theme")] {
        refused(open(&unit, asks, "file", 0, READ | WRITE));
        refused(open(&unit, asks, "new", CREATE, WRITE));
        for path in ["up", "../other/file", "..", "/resources/other/file"] {
            refused(open(&unit, asks, path, 0, READ));
        }
    }
    assert_eq!(
        std::fs::read(unit.path("resources/theme/file")).unwrap(),
        b"red"
    );
    assert!(!unit.path("resources/theme/new").exists());
}
