;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: makes a link to a file of the host and opens it
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_symlink" (func $link (param i32 i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "../../../../../../../../etc/passwd")
(data (i32.const 2100) "link")
(func $attack (result i32)
  ;; Making it may be refused or not; what it leads to must be.
  (drop (call $link (i32.const 2048) (i32.const 34) (i32.const 4) (i32.const 2100) (i32.const 4)))
  (call $errno (call $open (i32.const 4) (i32.const 1) (i32.const 2100) (i32.const 4)
    (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 1024))))
