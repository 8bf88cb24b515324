;; promise: SPECIFICATION 2, a limit on memory
;; attack: reads 64 KiB of state again and again, each time into memory that it allocates anew
;; fails: needs more than its limit of 33554432 bytes of memory
(import "periapt:charm/state@0.1.0" "set" (func $set (param i32 i32 i32 i32 i32)))
(import "periapt:charm/state@0.1.0" "get" (func $get (param i32 i32 i32)))
(data (i32.const 2048) "key")
(func $attack (result i32)
  (memory.fill (i32.const 3000) (i32.const 97) (i32.const 60000))
  (call $set (i32.const 2048) (i32.const 3) (i32.const 3000) (i32.const 60000) (i32.const 1024))
  (loop $again
    (call $get (i32.const 2048) (i32.const 3) (i32.const 1024))
    (br $again))
  unreachable)
