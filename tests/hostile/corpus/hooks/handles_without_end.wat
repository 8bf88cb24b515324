;; promise: SECURITY, a limit on descriptors
;; attack: makes timers and gives none back
;; fails: the hook ended unexpectedly | the charm crashed | host calls
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(func $attack (result i32)
  (loop $more (drop (call $timer (i64.const 1000000000000))) (br $more))
  unreachable)
