;; promise: SPECIFICATION 7, no unit has more or other storage than its charm declares
;; attack: asks for four billion storages of a name that leads upwards
;; fails: declares no storage "../../etc"
(import "periapt:charm/storage@0.1.0" "add" (func $add (param i32 i32 i32 i32)))
(data (i32.const 2048) "../../etc")
(func $attack (result i32)
  (call $add (i32.const 2048) (i32.const 9) (i32.const -1) (i32.const 1024))
  (call $told (i32.const 1024)))
