;; promise: SPECIFICATION 2, a limit on wall clock
;; attack: computes without end and without a call into the host
;; fails: the hook did not end within 4 s
(func $attack (result i32) (local $i i64)
  (loop $again (local.set $i (i64.add (local.get $i) (i64.const 1))) (br $again))
  unreachable)
