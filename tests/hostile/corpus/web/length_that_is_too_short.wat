;; promise: SECURITY 7 and the attacks of web workloads; a request and its answer have one head
;; attack: says that its answer is empty and writes a byte
;; answered: [cut] | HTTP/1.1 500 | content-length: 0
(data (i32.const 2048) "content-length")
(data (i32.const 2304) "0")
(func $attack (param $request i32) (param $out i32)
  (call $header (i32.const 2048) (i32.const 14) (i32.const 2304) (i32.const 1))
  (call $answer (local.get $out) (i32.const 200))
  (call $write (i32.const 2048) (i32.const 1))
  (call $close))
