;; promise: bounds, one revision of a secret has 1 MiB
;; attack: adds a secret with a value of a MiB, and a key beside it
;; fails: the secret would have 1048579 bytes; at most 1048576 are kept
(import "periapt:charm/secret@0.1.0" "add" (func $add (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32)))
(func $attack (result i32)
  (drop (memory.grow (i32.const 20)))
  (memory.fill (i32.const 4096) (i32.const 97) (i32.const 3))
  (memory.fill (i32.const 131072) (i32.const 97) (i32.const 1048576))
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (i32.const 3))
  (i32.store (i32.const 2056) (i32.const 131072))
  (i32.store (i32.const 2060) (i32.const 1048576))
  (call $add (i32.const 1) (i32.const 2048) (i32.const 1)
    {{3 times (i32.const 0) }} {{3 times (i32.const 0) }} {{2 times (i32.const 0) }} (i32.const 0) (i64.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
