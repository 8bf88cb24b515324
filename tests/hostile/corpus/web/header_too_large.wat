;; promise: SECURITY 7 and the attacks of web workloads; header fields of an answer have bounds
;; attack: answers with a header of 60,000 bytes
;; answered: HTTP/1.1 500
(data (i32.const 2048) "a")
(func $attack (param $request i32) (param $out i32)
  (memory.fill (i32.const 4096) (i32.const 97) (i32.const 60000))
  (call $header (i32.const 2048) (i32.const 1) (i32.const 4096) (i32.const 60000))
  (call $answer (local.get $out) (i32.const 200))
  (call $close))
