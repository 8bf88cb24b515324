;; promise: SECURITY 7 and the attacks of web workloads; a request and its answer have one head
;; attack: puts a line end and a cookie into the value of a header
;; answered: HTTP/1.1 500
(data (i32.const 2048) "x")
(data (i32.const 2304) "a\0d\0aset-cookie: session=stolen")
(func $attack (param $request i32) (param $out i32)
  (call $header (i32.const 2048) (i32.const 1) (i32.const 2304) (i32.const 29))
  (call $answer (local.get $out) (i32.const 200))
  (call $write (i32.const 2048) (i32.const 1))
  (call $close))
