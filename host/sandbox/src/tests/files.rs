//! Files: what is granted works, and nothing else can be reached.

use std::os::unix::fs::symlink;

use super::agent::Unit;
use super::guest::{Guest, OK};
use crate::{HookFailure, HookOutcome, SharedDirectory};
use periapt_model::charm::Access;

/// The preopens, in the order in which WASI shows them.
const CHARM: u32 = 3;
const STATE: u32 = 4;
const TMP: u32 = 5;

const READ: u64 = 1 << 1;
const WRITE: u64 = 1 << 6;
const CREATE: u32 = 1;

const IMPORTS: &str = r#"
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_symlink" (func $symlink (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_rename" (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))"#;

/// A charm that runs `body` and fails with "boom" when the number it leaves is not zero.
fn charm(first: &str, second: &str, body: &str) -> Vec<u8> {
    Guest {
        imports: IMPORTS,
        items: &format!(r#"(data (i32.const 2048) "{first}") (data (i32.const 3000) "{second}")"#),
        dispatch: &format!("(select (i32.const 80) ({OK}) {body})"),
        ..Guest::default()
    }
    .component()
}

fn open_call(at: u32, length: usize, directory: u32, flags: u32, rights: u64) -> String {
    format!(
        "(call $open (i32.const {directory}) (i32.const 1) (i32.const {at}) (i32.const {length})
           (i32.const {flags}) (i64.const {rights}) (i64.const 0) (i32.const 0) (i32.const 1024))"
    )
}

fn open(unit: &Unit, directory: u32, path: &str, flags: u32, rights: u64) -> HookOutcome {
    unit.run(&charm(
        path,
        "",
        &open_call(2048, path.len(), directory, flags, rights),
    ))
}

fn allowed(outcome: HookOutcome) {
    outcome.result.unwrap();
}

fn refused(outcome: HookOutcome) {
    assert_eq!(outcome.result, Err(HookFailure::Charm("boom".to_owned())));
}

fn unit() -> Unit {
    let unit = Unit::new();
    std::fs::write(unit.path("secret"), "secret").unwrap();
    std::fs::create_dir(unit.path("charm/deep")).unwrap();
    std::fs::write(unit.path("charm/deep/file"), "content").unwrap();
    unit
}

#[test]
fn the_charm_can_be_read_and_not_written() {
    let unit = unit();
    allowed(open(&unit, CHARM, "deep/file", 0, READ));
    allowed(open(&unit, CHARM, "deep/../deep/file", 0, READ));
    refused(open(&unit, CHARM, "deep/file", 0, READ | WRITE));
    refused(open(&unit, CHARM, "new", CREATE, WRITE));
    assert_eq!(
        std::fs::read_to_string(unit.path("charm/deep/file")).unwrap(),
        "content"
    );
    assert!(!unit.path("charm/new").exists());
}

#[test]
fn the_state_stays_and_the_temporary_directory_goes() {
    let unit = unit();
    let outcome = open(&unit, STATE, "kept", CREATE, READ | WRITE);
    assert!(outcome.usage.state_directory_bytes > 0);
    allowed(outcome);
    assert!(unit.path("state/kept").exists());
    allowed(open(&unit, TMP, "scratch", CREATE, WRITE));
    refused(open(&unit, TMP, "scratch", 0, READ));
    assert_eq!(left_behind(&unit), 0);
}

/// Files in all temporary directories.
fn left_behind(unit: &Unit) -> usize {
    let directories = std::fs::read_dir(unit.path("temporary")).unwrap();
    directories
        .map(|entry| std::fs::read_dir(entry.unwrap().path()).unwrap().count())
        .sum()
}

#[test]
fn no_path_leads_out() {
    let unit = unit();
    for path in [
        "../secret",
        "../../secret",
        "deep/../../secret",
        "/etc/passwd",
        "/../etc/passwd",
        "..",
        "/",
    ] {
        for directory in [CHARM, STATE, TMP] {
            refused(open(&unit, directory, path, 0, READ));
            refused(open(&unit, directory, path, CREATE, WRITE));
        }
    }
    assert_eq!(
        std::fs::read_to_string(unit.path("secret")).unwrap(),
        "secret"
    );
}

#[test]
fn no_symbolic_link_leads_out() {
    let unit = unit();
    symlink("/etc", unit.path("charm/etc")).unwrap();
    symlink("../secret", unit.path("charm/up")).unwrap();
    symlink(unit.path("secret"), unit.path("state/absolute")).unwrap();
    symlink("deep", unit.path("charm/within")).unwrap();
    allowed(open(&unit, CHARM, "within/file", 0, READ));
    refused(open(&unit, CHARM, "etc/passwd", 0, READ));
    refused(open(&unit, CHARM, "up", 0, READ));
    refused(open(&unit, STATE, "absolute", 0, READ));
    refused(open(&unit, STATE, "absolute", 0, READ | WRITE));
}

#[test]
fn a_guest_cannot_make_a_link_that_leads_out() {
    let unit = unit();
    for target in ["/etc/passwd", "../secret", "../../secret"] {
        let _ = std::fs::remove_file(unit.path("state/link"));
        let make = format!(
            "(call $symlink (i32.const 2048) (i32.const {}) (i32.const {STATE}) (i32.const 3000) (i32.const 4))",
            target.len()
        );
        // Making it may be refused or not; following it must be.
        let made = unit.run(&charm(target, "link", &make));
        assert!(made.result.is_ok() || made.result == Err(HookFailure::Charm("boom".into())));
        refused(open(&unit, STATE, "link", 0, READ));
    }
}

#[test]
fn files_do_not_move_out_of_the_charm() {
    let unit = unit();
    let path = "deep/file";
    let rename = format!(
        "(call $rename (i32.const {CHARM}) (i32.const 2048) (i32.const {}) (i32.const {STATE}) (i32.const 3000) (i32.const 4))",
        path.len()
    );
    refused(unit.run(&charm(path, "mine", &rename)));
    assert!(unit.path("charm/deep/file").exists());
}

#[test]
fn too_much_state_is_a_failure_without_effects() {
    let mut unit = unit();
    unit.limits.state_directory_bytes = 1 << 20;
    let big = |directory| {
        let open = open_call(2048, 3, directory, CREATE, READ | WRITE);
        let size = "(call $size (i32.load (i32.const 1024)) (i64.const 2000000))";
        charm("big", "", &format!("(i32.or {open} {size})"))
    };
    let outcome = unit.run(&big(STATE));
    let over = |directory: &str| HookFailure::DirectoryLimit {
        directory: directory.to_owned(),
        limit: 1 << 20,
    };
    assert_eq!(outcome.result, Err(over("/state")));
    assert!(outcome.effects.is_empty());
    assert!(!unit.path("state/big").exists());
    assert_eq!(unit.run(&big(TMP)).result, Err(over("/tmp")));
    assert_eq!(left_behind(&unit), 0);
}

#[test]
fn a_guest_that_goes_on_after_too_much_state_is_stopped() {
    let mut unit = unit();
    unit.limits.state_directory_bytes = 1 << 20;
    let open = open_call(2048, 3, STATE, CREATE, READ | WRITE);
    let size = "(drop (call $size (i32.load (i32.const 1024)) (i64.const 2000000)))";
    let component = charm(
        "big",
        "",
        &format!("(block (result i32) (drop {open}) {size} (loop $on (br $on)) (i32.const 0))"),
    );
    let outcome = unit.run(&component);
    assert_eq!(outcome.result.unwrap_err().code(), "directory-limit");
    assert!(outcome.usage.duration < std::time::Duration::from_secs(60));
}

#[test]
fn a_guest_runs_out_of_handles_before_the_process_does() {
    let unit = unit();
    let open = open_call(2048, 9, CHARM, 0, READ);
    let component = charm(
        "deep/file",
        "",
        &format!(
            "(block (result i32)
               (loop $more
                 (local.set $i (i32.add (local.get $i) (i32.const 1)))
                 (br_if $more (i32.and (i32.eqz {open}) (i32.lt_u (local.get $i) (i32.const 5000)))))
               (i32.ge_u (local.get $i) (i32.const 5000)))"
        ),
    );
    // Either the guest is told no, or it is ended; the others have their files.
    let outcome = unit.run(&component);
    assert!(outcome.usage.host_calls < 5000, "{outcome:?}");
    allowed(open_again(&unit));
}

fn open_again(unit: &Unit) -> HookOutcome {
    open(unit, CHARM, "deep/file", 0, READ)
}

#[test]
fn a_missing_directory_is_said() {
    let unit = unit();
    std::fs::remove_dir(unit.path("state")).unwrap();
    for (flags, rights) in [(0, READ), (CREATE, WRITE)] {
        let failure = open(&unit, STATE, "file", flags, rights)
            .result
            .unwrap_err();
        assert_eq!(failure.code(), "directories");
        assert!(failure.to_string().contains("state"), "{failure}");
    }
    assert_eq!(left_behind(&unit), 0);
}

/// A unit whose charm reads `logs` and writes `spool`, and a directory it did not declare.
fn housed() -> Unit {
    let mut unit = unit();
    for name in ["logs", "spool", "other"] {
        std::fs::create_dir_all(unit.path("shared").join(name)).unwrap();
        std::fs::write(unit.path("shared").join(name).join("file"), name).unwrap();
    }
    let directory = |name: &str, access| SharedDirectory {
        name: name.to_owned(),
        path: unit.path("shared").join(name),
        access,
    };
    unit.shared = vec![
        directory("logs", Access::ReadOnly),
        directory("spool", Access::ReadWrite),
    ];
    unit
}

const LOGS: u32 = 6;
const SPOOL: u32 = 7;

#[test]
fn shared_directories_are_granted_as_declared() {
    let unit = housed();
    allowed(open(&unit, LOGS, "file", 0, READ));
    refused(open(&unit, LOGS, "file", 0, READ | WRITE));
    refused(open(&unit, LOGS, "new", CREATE, WRITE));
    allowed(open(&unit, SPOOL, "new", CREATE, READ | WRITE));
    assert!(unit.path("shared/spool/new").exists());
    assert!(!unit.path("shared/logs/new").exists());
    // What a failed hook wrote there stays: it is shared, like a log file.
    refused(unit.run(&charm(
        "failed",
        "",
        &format!(
            "(block (result i32) (drop {}) (i32.const 1))",
            open_call(2048, 6, SPOOL, CREATE, WRITE)
        ),
    )));
    assert!(unit.path("shared/spool/failed").exists());
}

#[test]
fn nothing_beside_the_shared_directories_can_be_reached() {
    let unit = housed();
    symlink("../other/file", unit.path("shared/spool/up")).unwrap();
    symlink(unit.path("shared/other"), unit.path("shared/spool/out")).unwrap();
    for directory in [LOGS, SPOOL, LOGS + 2] {
        for path in [
            "../other/file",
            "../other",
            "up",
            "out/file",
            "..",
            "/shared/other/file",
        ] {
            refused(open(&unit, directory, path, 0, READ));
            refused(open(&unit, directory, path, CREATE, WRITE));
        }
    }
    // Without a declaration there is nothing at all.
    let mut plain = housed();
    plain.shared.clear();
    refused(open(&plain, LOGS, "file", 0, READ));
}

#[test]
fn too_much_in_a_shared_directory_is_a_failure() {
    let mut unit = housed();
    unit.limits.state_directory_bytes = 1 << 20;
    let open = open_call(2048, 3, SPOOL, CREATE, READ | WRITE);
    let size = "(call $size (i32.load (i32.const 1024)) (i64.const 2000000))";
    let big = charm("big", "", &format!("(i32.or {open} {size})"));
    let failure = unit.run(&big).result.unwrap_err();
    assert!(failure.to_string().contains("/shared/spool"), "{failure}");
}
