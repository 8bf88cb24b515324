;; promise: SPECIFICATION 2, memory counts over all memories
;; attack: takes memory by turns in two memories, of which neither alone would reach the limit
;; fails: needs more than its limit of 33554432 bytes of memory
(memory $second 1)
(func $attack (result i32)
  (loop $more
    (drop (memory.grow (i32.const 4)))
    (br_if $more (i32.ge_s (memory.grow $second (i32.const 4)) (i32.const 0))))
  unreachable)
