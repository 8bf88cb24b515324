;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: sets a status that is not UTF-8
;; fails: utf-8
(import "periapt:charm/status@0.1.0" "unit-set" (func $status (param i32 i32 i32 i32)))
(data (i32.const 2048) "\ff\fe\80\c0")
(func $attack (result i32)
  (call $status (i32.const 3) (i32.const 2048) (i32.const 4) (i32.const 1024))
  (i32.const 64))
