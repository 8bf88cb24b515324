;; promise: SPECIFICATION 18, an action is what somebody asked for
;; attack: sets the result of an action in a hook
;; fails: a hook was asked for by nobody
(import "periapt:charm/action@0.1.0" "set" (func $set (param i32 i32 i32)))
(data (i32.const 2048) "{{5000 times {\22a\22:}}")
(func $attack (result i32)
  (call $set (i32.const 2048) (i32.const 25000) (i32.const 1024))
  (call $told (i32.const 1024)))
