;; promise: SECURITY, one function removes escapes and what hides from text
;; attack: sets a status with escapes, line ends and a turned direction
;; shows: ready now
(import "periapt:charm/status@0.1.0" "unit-set" (func $status (param i32 i32 i32 i32)))
(data (i32.const 2048) "\1b]0;owned\07ready\1b[2J\0a\e2\80\aenow")
(func $attack (result i32)
  (call $status (i32.const 3) (i32.const 2048) (i32.const 26) (i32.const 1024))
  (call $told (i32.const 1024)))
