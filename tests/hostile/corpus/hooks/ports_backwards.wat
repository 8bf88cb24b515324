;; promise: bounds, ports; SECURITY 5
;; attack: opens a range whose end is before its start
;; fails: "500-1" is not a port range
(import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
(func $attack (result i32)
  (call $open (i32.const 500) (i32.const 1) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
