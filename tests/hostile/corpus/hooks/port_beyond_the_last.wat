;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: opens port 65536 by a number that has more bits than a port
;; fails: "0-0" is not a port range | the charm crashed | the hook ended unexpectedly
(import "periapt:charm/ports@0.1.0" "open" (func $open (param i32 i32 i32 i32)))
(func $attack (result i32)
  (call $open (i32.const 65536) (i32.const 65536) (i32.const 0) (i32.const 1024))
  (call $told (i32.const 1024)))
