;; promise: SPECIFICATION 5, a hook reads what is attached and nothing beside it
;; attack: asks for a resource whose name leads upwards
;; fails: the charm declares no resource "../../../../etc/passwd"
(import "periapt:charm/resources@0.1.0" "get" (func $get (param i32 i32 i32)))
(data (i32.const 2048) "../../../../etc/passwd")
(func $attack (result i32)
  (call $get (i32.const 2048) (i32.const 22) (i32.const 1024))
  (call $told (i32.const 1024)))
