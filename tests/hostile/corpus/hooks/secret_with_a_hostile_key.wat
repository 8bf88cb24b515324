;; promise: SECURITY, secrets; text reaches no terminal as it is
;; attack: adds a secret whose key is an escape sequence
;; fails: cannot be the key of a secret
(import "periapt:charm/secret@0.1.0" "add" (func $add (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i32)))
(data (i32.const 4096) "\1b[31m=password")
(func $attack (result i32)
  (drop (memory.grow (i32.const 1)))
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (i32.const 14))
  (i32.store (i32.const 2056) (i32.const 131072))
  (i32.store (i32.const 2060) (i32.const 3))
  (call $add (i32.const 1) (i32.const 2048) (i32.const 1)
    {{3 times (i32.const 0) }} {{3 times (i32.const 0) }} {{2 times (i32.const 0) }} (i32.const 0) (i64.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
