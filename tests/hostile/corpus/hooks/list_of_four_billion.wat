;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: says that a list of settings has four billion entries
;; fails: the charm crashed | the hook ended unexpectedly
(import "periapt:charm/leadership@0.1.0" "set" (func $set (param i32 i32 i32)))
(func $attack (result i32)
  (call $set (i32.const 2048) (i32.const 0xffffffff) (i32.const 1024))
  (i32.const 64))
