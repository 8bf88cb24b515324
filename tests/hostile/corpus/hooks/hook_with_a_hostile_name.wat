;; promise: bounds, names of hooks, and SECURITY, text reaches no terminal as it is
;; attack: names a hook with an escape sequence and a line end
;; refused: is not the name of a hook
(data (i32.const 2048) "\00\09\00\00\08\00\00\00")
(data (i32.const 2304) "a\1b[31m\0ab")
(func $hooks (result i32)
  (i32.store (i32.const 2060) (i32.const 2048))
  (i32.store (i32.const 2064) (i32.const 1))
  (i32.const 2060))
(func $attack (result i32) (i32.const 64))
