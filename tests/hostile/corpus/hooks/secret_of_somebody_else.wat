;; promise: SPECIFICATION 6, only a secret's owner and those it is granted to can read it
;; attack: reads a secret whose id it guessed
;; fails: secret
(import "periapt:charm/secret@0.1.0" "get" (func $get (param i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "secret:00000000000000000001")
(func $attack (result i32)
  (call $get (i32.const 1) (i32.const 2048) (i32.const 27) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 2) (i32.const 1024))
  (call $told (i32.const 1024)))
