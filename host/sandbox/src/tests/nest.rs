//! A charm that makes directories in one another, each relative to the one before, so that no path
//! is ever long.

use super::guest::{Guest, OK};

/// The preopens, in the order in which WASI shows them.
pub const STATE: u32 = 4;
pub const TMP: u32 = 5;
/// Shared directories follow, in the order of their names.
pub const SHARED: u32 = 6;

const IMPORTS: &str = r#"
  (import "wasi_snapshot_preview1" "path_create_directory" (func $make (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
  (import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))"#;

/// What such a charm does in its `start` hook.
#[derive(Clone, Copy)]
pub struct Nest<'a> {
    /// The preopened directory.
    pub at: u32,
    /// The name of each directory.
    pub name: &'a str,
    pub levels: u32,
    /// Bytes of the file in the last one.
    pub bytes: u64,
}

impl Nest<'_> {
    pub fn component(&self) -> Vec<u8> {
        let Self {
            at,
            name,
            levels,
            bytes,
        } = self;
        let length = name.len();
        let items = format!(
            r#"
  (data (i32.const 2048) "bottom")
  (data (i32.const 2064) "{name}")
  (func $nest (result i32) (local $here i32) (local $done i32)
    (local.set $here (i32.const {at}))
    (block $end
      (loop $more
        (br_if $end (i32.ge_u (local.get $done) (i32.const {levels})))
        (drop (call $make (local.get $here) (i32.const 2064) (i32.const {length})))
        (if (call $open (local.get $here) (i32.const 0) (i32.const 2064) (i32.const {length})
              (i32.const 2) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 1024))
          (then (return (i32.const 1))))
        (if (i32.ne (local.get $here) (i32.const {at}))
          (then (drop (call $close (local.get $here)))))
        (local.set $here (i32.load (i32.const 1024)))
        (local.set $done (i32.add (local.get $done) (i32.const 1)))
        (br $more)))
    (if (call $open (local.get $here) (i32.const 0) (i32.const 2048) (i32.const 6)
          (i32.const 1) (i64.const 66) (i64.const 66) (i32.const 0) (i32.const 1024))
      (then (return (i32.const 2))))
    (call $size (i32.load (i32.const 1024)) (i64.const {bytes})))"#
        );
        Guest {
            imports: IMPORTS,
            items: &items,
            dispatch: &format!("(select (i32.const 80) ({OK}) (call $nest))"),
            ..Guest::default()
        }
        .component()
    }
}
