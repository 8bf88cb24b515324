;; promise: SPECIFICATION 2, a limit on wall clock
;; attack: sleeps for 36 years within one call into the host
;; fails: the hook did not end within 4 s
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
(func $attack (result i32)
  (i64.store (i32.const 1024) (i64.const 0))
  (i32.store8 (i32.const 1032) (i32.const 0))
  (i32.store (i32.const 1040) (i32.const 1))
  (i64.store (i32.const 1048) (i64.const 1152921504606846976))
  (drop (call $poll (i32.const 1024) (i32.const 1200) (i32.const 1) (i32.const 1400)))
  (i32.const 64))
