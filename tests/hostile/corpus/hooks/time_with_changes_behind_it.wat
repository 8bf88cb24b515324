;; promise: SPECIFICATION 3, effects take effect together or not at all, and 2, wall clock
;; attack: sets state and opens a port, then never ends; nothing of it may be committed
;; fails: the hook did not end within 4 s
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
(data (i32.const 2048) "key")
(func $attack (result i32)
  (call $set (i32.const 2048) (i32.const 3) (i32.const 2048) (i32.const 3) (i32.const 1024))
  (call $open (i32.const 22) (i32.const 22) (i32.const 0) (i32.const 1024))
  (loop $again (br $again))
  unreachable)
