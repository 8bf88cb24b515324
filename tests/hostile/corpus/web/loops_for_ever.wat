;; promise: SECURITY 7 and the attacks of web workloads
;; attack: computes without end and never answers
;; answered: HTTP/1.1 504
(func $attack (param $request i32) (param $out i32)
  (loop $again (br $again)))
