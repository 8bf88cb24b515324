;; promise: SECURITY 7 and the attacks of web workloads
;; attack: answers with the status 101, as if the connection were another now
;; answered: HTTP/1.1 500
(func $attack (param $request i32) (param $out i32)
  (call $answer (local.get $out) (i32.const 101))
  (call $close))
