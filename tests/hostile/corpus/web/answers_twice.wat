;; promise: SECURITY 7 and the attacks of web workloads
;; attack: answers a second time with a handle that it gave away
;; answered: [cut] | HTTP/1.1 500 | HTTP/1.1 502
(func $attack (param $request i32) (param $out i32)
  (call $answer (local.get $out) (i32.const 200))
  (call $answer (local.get $out) (i32.const 200)))
