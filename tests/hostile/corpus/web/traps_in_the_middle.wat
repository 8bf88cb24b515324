;; promise: SECURITY 7 and the attacks of web workloads; an answer whose handler fails is never taken for whole
;; attack: traps after the first bytes of its answer
;; answered: [cut] | HTTP/1.1 502
(func $attack (param $request i32) (param $out i32)
  (call $answer (local.get $out) (i32.const 200))
  (call $write (i32.const 1024) (i32.const 1))
  unreachable)
