;; promise: SPECIFICATION 2, a limit on memory
;; attack: takes a page after the other until there is none, then aborts as an allocator would
;; fails: needs more than its limit of 33554432 bytes of memory
(func $attack (result i32)
  (loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0))))
  unreachable)
