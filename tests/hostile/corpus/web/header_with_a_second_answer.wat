;; promise: SECURITY 7 and the attacks of web workloads; a request and its answer have one head
;; attack: puts a whole answer into the name of a header
;; answered: HTTP/1.1 500
(data (i32.const 2048) "x\0d\0a\0d\0aHTTP/1.1 200 OK\0d\0a\0d\0a")
(data (i32.const 2304) "b")
(func $attack (param $request i32) (param $out i32)
  (call $header (i32.const 2048) (i32.const 24) (i32.const 2304) (i32.const 1))
  (call $answer (local.get $out) (i32.const 200))
  (call $write (i32.const 2048) (i32.const 1))
  (call $close))
