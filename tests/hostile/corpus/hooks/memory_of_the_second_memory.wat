;; promise: SPECIFICATION 2, memory counts over all memories
;; attack: has a second memory that is larger at its start than the limit of both
;; fails: needs more than its limit of 33554432 bytes of memory
(memory $second 600)
(func $attack (result i32) (i32.const 64))
