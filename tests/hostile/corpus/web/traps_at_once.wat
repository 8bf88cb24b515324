;; promise: SECURITY 7 and the attacks of web workloads
;; attack: traps before it answers
;; answered: HTTP/1.1 500
(func $attack (param $request i32) (param $out i32)
  unreachable)
