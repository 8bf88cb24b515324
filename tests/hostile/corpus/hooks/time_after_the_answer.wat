;; promise: SPECIFICATION 2, a limit on wall clock
;; attack: has answered, and loops in the function that frees its answer
;; fails: the hook did not end within 4 s
(func (export "cabi_post_dispatch") (param i32) (loop $again (br $again)))
(func $attack (result i32) (i32.const 64))
