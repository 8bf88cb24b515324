;; promise: SPECIFICATION 8, a charm is compiled in a process with its own limits
;; attack: uses the tools of a hook while it is asked for its hooks, where there is no unit
;; refused: could not be asked for its hooks
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "key")
(func $hooks (result i32)
  (call $set (i32.const 2048) (i32.const 3) (i32.const 2048) (i32.const 3) (i32.const 1024))
  ;; It goes on only if it was not refused.
  (if (i32.eqz (i32.load8_u (i32.const 1024))) (then (return (i32.const 16))))
  unreachable)
(func $attack (result i32) (i32.const 64))
