;; promise: SPECIFICATION 2, a limit on memory
;; attack: has three memories
;; refused: memories; at most 2 are given
(memory $second 1)
(memory $third 1)
(func $attack (result i32) (i32.const 64))
