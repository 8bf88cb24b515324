;; promise: SPECIFICATION 2, a limit on host calls
;; attack: reads the clock a million times
;; fails: more than its limit of 20000 host calls
(import "wasi_snapshot_preview1" "clock_time_get" (func $now (param i32 i64 i32) (result i32)))
(func $attack (result i32) (local $i i32)
  (loop $again
    (drop (call $now (i32.const 1) (i64.const 0) (i32.const 1024)))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
  (i32.const 64))
