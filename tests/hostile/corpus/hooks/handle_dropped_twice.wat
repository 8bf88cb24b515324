;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: gives the same handle back twice
;; fails: handle
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $drop (param i32)))
(func $attack (result i32) (local $timer i32)
  (local.set $timer (call $timer (i64.const 1)))
  (call $drop (local.get $timer))
  (call $drop (local.get $timer))
  (i32.const 64))
