;; promise: SPECIFICATION 2, a limit on host calls
;; attack: asks who leads a million times
;; fails: more than its limit of 20000 host calls
(import "periapt:charm/leadership@0.1.0" "is-leader" (func $is_leader (param i32)))
(func $attack (result i32) (local $i i32)
  (loop $again
    (call $is_leader (i32.const 1024))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
  (i32.const 64))
