;; promise: SPECIFICATION 2, a hook runs in a sandbox of its own
;; attack: calls itself without end
;; fails: its call stack is exhausted
(func $deep (param i32) (result i32)
  (i32.add (i32.const 1) (call $deep (i32.add (local.get 0) (i32.const 1)))))
(func $attack (result i32) (drop (call $deep (i32.const 0))) (i32.const 64))
