;; promise: SPECIFICATION 2, a limit on host calls
;; attack: takes random bytes a million times
;; fails: more than its limit of 20000 host calls
(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
(func $attack (result i32) (local $i i32)
  (loop $again
    (drop (call $random (i32.const 1024) (i32.const 8)))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
  (i32.const 64))
