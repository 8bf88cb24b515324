;; promise: SPECIFICATION 2, a limit on output
;; attack: logs NUL, CR and turned directions, of which nothing would be seen
;; fails: wrote more than its limit of 65536 bytes of output and log | host calls
(import "periapt:charm/log@0.1.0" "write" (func $log (param i32 i32 i32)))
(data (i32.const 2048) "\00\0d\e2\80\ae\e2\80\8b\1b[2K")
(func $attack (result i32)
  (loop $more (call $log (i32.const 2) (i32.const 2048) (i32.const 12)) (br $more))
  unreachable)
