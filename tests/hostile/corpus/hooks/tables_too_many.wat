;; promise: SPECIFICATION 2, a limit on table elements
;; attack: has forty tables
;; refused: tables; at most 8 are given
{{40 times (table 1 funcref)\n}}
(func $attack (result i32) (i32.const 64))
