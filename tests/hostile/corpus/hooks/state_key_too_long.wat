;; promise: bounds, a key of charm state has 256 bytes
;; attack: sets a key of 257 bytes
;; fails: a state key of 257 bytes is too long; at most 256 are kept
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(func $attack (result i32)
  (memory.fill (i32.const 4096) (i32.const 97) (i32.const 257))
  (call $set (i32.const 4096) (i32.const 256) (i32.const 4096) (i32.const 1) (i32.const 1024))
  ;; The longest that may be is kept.
  (if (i32.load8_u (i32.const 1024)) (then unreachable))
  (call $set (i32.const 4096) (i32.const 257) (i32.const 4096) (i32.const 1) (i32.const 1024))
  (call $told (i32.const 1024)))
