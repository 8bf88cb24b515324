;; promise: bounds, all charm state of a unit has 2 MiB
;; attack: sets one value of 60,000 bytes after another
;; fails: bytes; at most 2097152 are kept
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(func $key (param $at i32) (param $i i32) (local $n i32)
  (loop $digit
    (i32.store8 (i32.add (local.get $at) (local.get $n)) (i32.add (i32.const 97) (i32.and (local.get $i) (i32.const 15))))
    (local.set $i (i32.shr_u (local.get $i) (i32.const 4)))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $digit (i32.lt_u (local.get $n) (i32.const 4)))))
(func $attack (result i32) (local $i i32)
  (loop $more
    (call $key (i32.const 2048) (local.get $i))
    (call $set (i32.const 2048) (i32.const 4) (i32.const 4096) (i32.const 60000) (i32.const 1024))
    (if (i32.load8_u (i32.const 1024)) (then (return (call $told (i32.const 1024)))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $more))
  unreachable)
