;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: gives a file of the charm a time at the end of all time
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_filestat_set_times" (func $times (param i32 i32 i32 i32 i64 i64 i32) (result i32)))
(data (i32.const 2048) "metadata.yaml")
(func $attack (result i32)
  (call $errno (call $times (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 13)
    (i64.const -1) (i64.const -1) (i32.const 5))))
