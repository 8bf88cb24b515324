;; promise: SPECIFICATION 2, a limit on memory
;; attack: asks for 4 GiB in one call and uses what it was not given
;; fails: needs more than its limit of 33554432 bytes of memory
(func $attack (result i32)
  (drop (memory.grow (i32.const 65000)))
  (i32.store (i32.const 2000000000) (i32.const 1))
  (i32.const 64))
