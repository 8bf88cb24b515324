;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: opens a file by its path on the host
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(data (i32.const 2048) "/etc/passwd")
(func $attack (result i32)
  (call $errno (call $open (i32.const 4) (i32.const 1) (i32.const 2048) (i32.const 11)
    (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 1024))))
