;; promise: SPECIFICATION 1, a unit cannot reach another's
;; attack: reads the settings of a relation that it has no part in
;; fails: the unit is not in relation website:1
(import "periapt:charm/relation@0.1.0" "get" (func $get (param i32 i32 i32 i32 i32)))
(data (i32.const 2048) "website:1")
(data (i32.const 2064) "neighbour/0")
(func $attack (result i32)
  (call $get (i32.const 2048) (i32.const 9) (i32.const 2064) (i32.const 11) (i32.const 1024))
  (call $told (i32.const 1024)))
