;; promise: SPECIFICATION 1, a charm can reach only its own directories
;; attack: removes the directory that it was given itself
;; fails: refused with errno
(import "wasi_snapshot_preview1" "path_remove_directory" (func $remove (param i32 i32 i32) (result i32)))
(data (i32.const 2048) ".")
(func $attack (result i32)
  (call $errno (call $remove (i32.const 4) (i32.const 2048) (i32.const 1))))
