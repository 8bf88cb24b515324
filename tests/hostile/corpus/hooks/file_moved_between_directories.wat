;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: moves a file of the charm into /state
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_rename" (func $rename (param i32 i32 i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "metadata.yaml")
(func $attack (result i32)
  (call $errno (call $rename (i32.const 3) (i32.const 2048) (i32.const 13)
    (i32.const 4) (i32.const 2048) (i32.const 13))))
