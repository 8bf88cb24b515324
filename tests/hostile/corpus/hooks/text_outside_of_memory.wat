;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: logs a text that lies beyond its memory
;; fails: the charm crashed | the hook ended unexpectedly
(import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))
(func $attack (result i32)
  (call $log (i32.const 2) (i32.const 0x7fffffff) (i32.const 0x7fffffff))
  (i32.const 64))
