;; promise: SPECIFICATION 3, what was refused is nowhere
;; attack: sets a key that would read as a key with a value
;; fails: cannot contain "="
(import "periapt:charm/leadership@0.1.0" "set" (func $set (param i32 i32 i32)))
;; One setting: its key at 4096, its value at 131072.
(func $setting (param $key i32) (param $value i32)
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (local.get $key))
  (i32.store (i32.const 2056) (i32.const 1))
  (i32.store (i32.const 2060) (i32.const 131072))
  (i32.store (i32.const 2064) (local.get $value))
  (call $set (i32.const 2048) (i32.const 1) (i32.const 1024)))
(data (i32.const 4096) "admin=true")
(func $attack (result i32)
  (drop (memory.grow (i32.const 1)))
  (call $setting (i32.const 10) (i32.const 1))
  (call $told (i32.const 1024)))
