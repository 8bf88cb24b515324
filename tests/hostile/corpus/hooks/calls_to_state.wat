;; promise: SPECIFICATION 2, a limit on host calls
;; attack: sets the same key a million times
;; fails: more than its limit of 20000 host calls
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "key")
(func $attack (result i32) (local $i i32)
  (loop $again
    (call $set (i32.const 2048) (i32.const 3) (i32.const 2048) (i32.const 3) (i32.const 1024))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
  (i32.const 64))
