;; promise: SPECIFICATION 2, a limit on the size of its directories
;; attack: makes a file that is too large under a name that is an escape sequence and a line end
;; fails: the hook left more than 1048576 bytes in /state
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_filestat_set_size" (func $size (param i32 i64) (result i32)))
(data (i32.const 2048) "\1b[31m\0ax")
(func $attack (result i32)
  (if (call $open (i32.const 4) (i32.const 1) (i32.const 2048) (i32.const 7)
      (i32.const 1) (i64.const 4194370) (i64.const 0) (i32.const 0) (i32.const 1024))
    (then unreachable))
  (call $errno (call $size (i32.load (i32.const 1024)) (i64.const 2000000))))
