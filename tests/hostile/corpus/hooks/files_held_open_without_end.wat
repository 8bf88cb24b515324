;; promise: SECURITY, a limit on descriptors
;; attack: opens the same file again and again and closes none
;; fails: refused with errno | the charm crashed | the hook ended unexpectedly
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(data (i32.const 2048) "metadata.yaml")
(func $attack (result i32) (local $errno i32)
  (loop $more
    (local.set $errno (call $open (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 13)
      (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 1024)))
    (br_if $more (i32.eqz (local.get $errno))))
  (call $errno (local.get $errno)))
