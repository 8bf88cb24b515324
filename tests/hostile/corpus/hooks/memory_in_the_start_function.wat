;; promise: SPECIFICATION 2, a limit on memory
;; attack: takes all memory before any hook is called
;; fails: needs more than its limit of 33554432 bytes of memory | could not be started
(func $begin (drop (memory.grow (i32.const 1000))))
(start $begin)
(func $attack (result i32)
  (drop (memory.grow (i32.const 1)))
  (i32.store (i32.const 60000000) (i32.const 1))
  (i32.const 64))
