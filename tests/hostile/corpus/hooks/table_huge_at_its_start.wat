;; promise: SPECIFICATION 2, a limit on table elements
;; attack: has a table that begins with ten million elements
;; refused: a table of 10000000 elements; at most
(table $t 10000000 funcref)
(func $attack (result i32) (i32.const 64))
