;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: makes two links that lead to each other and opens one
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_symlink" (func $link (param i32 i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "ab")
(func $attack (result i32)
  (drop (call $link (i32.const 2048) (i32.const 1) (i32.const 4) (i32.const 2049) (i32.const 1)))
  (drop (call $link (i32.const 2049) (i32.const 1) (i32.const 4) (i32.const 2048) (i32.const 1)))
  (call $errno (call $open (i32.const 4) (i32.const 1) (i32.const 2048) (i32.const 1)
    (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 1024))))
