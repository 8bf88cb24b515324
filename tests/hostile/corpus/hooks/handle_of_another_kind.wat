;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: uses the handle of a timer as that of a stream
;; fails: handle
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
(import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.check-write" (func $room (param i32 i32)))
(func $attack (result i32)
  (drop (call $stdout))
  (call $room (call $timer (i64.const 1)) (i32.const 1024))
  (i32.const 64))
