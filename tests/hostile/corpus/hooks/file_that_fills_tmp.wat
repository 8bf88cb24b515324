;; promise: SPECIFICATION 2, a limit on the size of its directories
;; attack: makes a file of two megabytes in /tmp
;; fails: the hook left more than 1048576 bytes in /tmp
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
(data (i32.const 2048) "big")
(func $attack (result i32)
  (if (call $open (i32.const 5) (i32.const 1) (i32.const 2048) (i32.const 3)
      (i32.const 1) (i64.const 4194370) (i64.const 0) (i32.const 0) (i32.const 1024))
    (then unreachable))
  (call $errno (call $size (i32.load (i32.const 1024)) (i64.const 2000000))))
