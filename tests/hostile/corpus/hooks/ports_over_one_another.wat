;; promise: SECURITY 5, ports that overlap
;; attack: opens a range that meets one it has
;; fails: cannot open 85-95/tcp: it overlaps 80-90/tcp, which the unit has open
(import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
(func $attack (result i32)
  (call $open (i32.const 80) (i32.const 90) (i32.const 0) (i32.const 1024))
  (call $open (i32.const 85) (i32.const 95) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
