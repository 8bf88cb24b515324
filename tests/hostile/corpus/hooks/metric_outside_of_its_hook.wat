;; promise: SPECIFICATION 2, a hook does what is its own
;; attack: adds a metric in the hook start
;; fails: collect-metrics
(import "periapt:charm/metrics@0.1.0" "add" (func $add (param i32 i32 f64 i32 i32 i32)))
(data (i32.const 2048) "pings")
(func $attack (result i32)
  (call $add (i32.const 2048) (i32.const 5) (f64.const nan) (i32.const 0) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
