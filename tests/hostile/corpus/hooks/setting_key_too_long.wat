;; promise: bounds, a key of settings has 256 bytes
;; attack: sets a key of 257 bytes
;; fails: the key of a setting has 257 bytes; at most 256 are kept
(import "periapt:charm/leadership@0.1.0" "set" (func $set (param i32 i32 i32)))
;; One setting: its key at 4096, its value at 131072.
(func $setting (param $key i32) (param $value i32)
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (local.get $key))
  (i32.store (i32.const 2056) (i32.const 1))
  (i32.store (i32.const 2060) (i32.const 131072))
  (i32.store (i32.const 2064) (local.get $value))
  (call $set (i32.const 2048) (i32.const 1) (i32.const 1024)))
(func $attack (result i32)
  (drop (memory.grow (i32.const 1)))
  (memory.fill (i32.const 4096) (i32.const 97) (i32.const 257))
  (call $setting (i32.const 257) (i32.const 1))
  (call $told (i32.const 1024)))
