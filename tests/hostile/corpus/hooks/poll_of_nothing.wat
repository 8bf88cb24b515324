;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: waits for the first of no handles
;; fails: the charm crashed | the hook ended unexpectedly
(import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32)))
(func $attack (result i32)
  (call $poll (i32.const 2048) (i32.const 0) (i32.const 1024))
  (i32.const 64))
