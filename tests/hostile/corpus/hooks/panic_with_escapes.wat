;; promise: SECURITY, one function removes escapes and what hides from text
;; attack: writes escapes to its standard error and traps, so that they are its last words
;; fails: (last output: all is well)
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "\1b[2J\1b]0;owned\07all is\1b[8m well\e2\80\ae\0a")
(func $attack (result i32)
  (i32.store (i32.const 1024) (i32.const 2048))
  (i32.store (i32.const 1028) (i32.const 33))
  (drop (call $write (i32.const 2) (i32.const 1024) (i32.const 1) (i32.const 1040)))
  unreachable)
