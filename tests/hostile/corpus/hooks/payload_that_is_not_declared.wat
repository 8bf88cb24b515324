;; promise: bounds, payloads
;; attack: registers a payload of a class that its charm has not
;; fails: declares no payload "class"
(import "periapt:charm/payloads@0.1.0" "register" (func $register (param i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "class")
(func $attack (result i32)
  (call $register (i32.const 2048) (i32.const 5) (i32.const 2048) (i32.const 5) (i32.const 2048) (i32.const 5)
    (i32.const 0) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
