;; promise: bounds, ports; SECURITY 5
;; attack: opens port 0
;; fails: "0-0" is not a port range
(import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
(func $attack (result i32)
  (call $open (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
