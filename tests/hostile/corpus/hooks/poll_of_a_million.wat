;; promise: SPECIFICATION 2, a limit on memory
;; attack: waits for the same timer a million times in one call
;; fails: the charm crashed | the hook ended unexpectedly | host calls | bytes of memory | within 4 s
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:io/poll@0.2.0" "poll" (func $poll (param i32 i32 i32)))
(func $attack (result i32) (local $timer i32) (local $at i32)
  (drop (memory.grow (i32.const 100)))
  (local.set $timer (call $timer (i64.const 1000000000000)))
  (local.set $at (i32.const 131072))
  (loop $more
    (i32.store (local.get $at) (local.get $timer))
    (local.set $at (i32.add (local.get $at) (i32.const 4)))
    (br_if $more (i32.lt_u (local.get $at) (i32.const 4131072))))
  (call $poll (i32.const 131072) (i32.const 1000000) (i32.const 1024))
  (i32.const 64))
