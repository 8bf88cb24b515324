;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: waits for a handle that it made up
;; fails: handle
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(func $attack (result i32)
  (drop (call $timer (i64.const 1)))
  (call $block (i32.const 12345))
  (i32.const 64))
