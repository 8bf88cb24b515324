;; promise: bounds, one bag of settings has 8 MiB
;; attack: sets one value of a MiB after another
;; fails: the settings would have
(import "periapt:charm/leadership@0.1.0" "set" (func $set (param i32 i32 i32)))
;; One setting: its key at 4096, its value at 131072.
(func $setting (param $key i32) (param $value i32)
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (local.get $key))
  (i32.store (i32.const 2056) (i32.const 1))
  (i32.store (i32.const 2060) (i32.const 131072))
  (i32.store (i32.const 2064) (local.get $value))
  (call $set (i32.const 2048) (i32.const 1) (i32.const 1024)))
(func $key (param $at i32) (param $i i32) (local $n i32)
  (loop $digit
    (i32.store8 (i32.add (local.get $at) (local.get $n)) (i32.add (i32.const 97) (i32.and (local.get $i) (i32.const 15))))
    (local.set $i (i32.shr_u (local.get $i) (i32.const 4)))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $digit (i32.lt_u (local.get $n) (i32.const 4)))))
(func $attack (result i32) (local $i i32)
  (drop (memory.grow (i32.const 20)))
  (memory.fill (i32.const 131072) (i32.const 97) (i32.const 1048576))
  (loop $more
    (call $key (i32.const 4096) (local.get $i))
    (call $setting (i32.const 4) (i32.const 1048576))
    (if (i32.load8_u (i32.const 1024)) (then (return (call $told (i32.const 1024)))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $more))
  unreachable)
