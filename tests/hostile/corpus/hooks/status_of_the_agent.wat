;; promise: SPECIFICATION 21, an error is what a hook did
;; attack: says of itself that it is in error, as only the agent does
;; fails: a charm can set one of: maintenance, blocked, waiting, active
(import "periapt:charm/status@0.1.0" "unit-set" (func $status (param i32 i32 i32 i32)))
(func $attack (result i32)
  (call $status (i32.const 5) (i32.const 96) (i32.const 4) (i32.const 1024))
  (call $told (i32.const 1024)))
