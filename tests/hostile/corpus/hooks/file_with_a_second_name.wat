;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: gives a file of the charm a second name in /state, through which it could be written
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_link" (func $link (param i32 i32 i32 i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "metadata.yaml")
(func $attack (result i32)
  (call $errno (call $link (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 13)
    (i32.const 4) (i32.const 2048) (i32.const 13))))
