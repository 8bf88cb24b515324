;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: removes a directory that it holds open and makes a file in it
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_create_directory" (func $make (param i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_remove_directory" (func $remove (param i32 i32 i32) (result i32)))
(data (i32.const 2048) "d")
(func $attack (result i32)
  (drop (call $make (i32.const 4) (i32.const 2048) (i32.const 1)))
  (drop (call $open (i32.const 4) (i32.const 0) (i32.const 2048) (i32.const 1)
    (i32.const 2) (i64.const 2) (i64.const 2) (i32.const 0) (i32.const 1024)))
  (drop (call $remove (i32.const 4) (i32.const 2048) (i32.const 1)))
  (call $errno (call $open (i32.load (i32.const 1024)) (i32.const 0) (i32.const 2048) (i32.const 1)
    (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 1028))))
