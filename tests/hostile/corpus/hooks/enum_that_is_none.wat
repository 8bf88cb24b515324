;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: logs at a level that the contract does not have
;; fails: the charm crashed | the hook ended unexpectedly
(import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))
(func $attack (result i32)
  (call $log (i32.const 99) (i32.const 96) (i32.const 4))
  (i32.const 64))
