;; promise: SECURITY 5, components that the charm declared
;; attack: adds a layer to a container that its charm has not
;; refused: the component imports workload of periapt:charm
(import "periapt:charm/workload@0.1.0" "add-layer" (func $add (param i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 2048) "webservices: {}")
(func $attack (result i32)
  (call $add (i32.const 2048) (i32.const 3) (i32.const 2048) (i32.const 3) (i32.const 2051) (i32.const 12) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
