;; promise: bounds, a value of charm state has 64 KiB
;; attack: sets a value of 64 KiB and one of a byte more
;; fails: has 65537 bytes; at most 65536 are kept
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "key")
(func $attack (result i32)
  (memory.fill (i32.const 4096) (i32.const 97) (i32.const 65537))
  (call $set (i32.const 2048) (i32.const 3) (i32.const 4096) (i32.const 65536) (i32.const 1024))
  (if (i32.load8_u (i32.const 1024)) (then unreachable))
  (call $set (i32.const 2048) (i32.const 3) (i32.const 4096) (i32.const 65537) (i32.const 1024))
  (call $told (i32.const 1024)))
