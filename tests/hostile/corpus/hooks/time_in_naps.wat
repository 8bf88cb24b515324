;; promise: SPECIFICATION 2, a limit on wall clock
;; attack: sleeps for ten milliseconds, again and again
;; fails: the hook did not end within 4 s
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
(import "wasi:io/poll@0.2.0" "[resource-drop]pollable" (func $drop (param i32)))
(func $attack (result i32) (local $nap i32)
  (loop $again
    (local.set $nap (call $timer (i64.const 10000000)))
    (call $block (local.get $nap))
    (call $drop (local.get $nap))
    (br $again))
  unreachable)
