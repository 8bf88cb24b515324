;; promise: SPECIFICATION 2, a limit on memory
;; attack: has a memory that begins with 4 GiB
;; refused: bytes of memory to start; at most
(memory $second 65535)
(func $attack (result i32) (i32.const 64))
