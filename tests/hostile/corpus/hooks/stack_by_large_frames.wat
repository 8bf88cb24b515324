;; promise: SPECIFICATION 2, a hook runs in a sandbox of its own
;; attack: two functions call each other through a table, each with a thousand values that live across the call
;; fails: its call stack is exhausted
(type $step (func (param i64) (result i64)))
(table 2 funcref)
(elem (i32.const 0) $one $two)
(func $one (type $step)
  local.get 0 {{1000 times i64.const {#} local.get 0 i64.add\n}}
  local.get 0 i32.const 1 call_indirect (type $step)
  {{1000 times i64.add\n}}
  i64.add)
(func $two (type $step) local.get 0 i32.const 0 call_indirect (type $step))
(func $attack (result i32) (drop (call $one (i64.const 1))) (i32.const 64))
