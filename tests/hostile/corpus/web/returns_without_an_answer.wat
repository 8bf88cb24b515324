;; promise: SECURITY 7 and the attacks of web workloads
;; attack: returns and has said nothing
;; answered: HTTP/1.1 500
(func $attack (param $request i32) (param $out i32))
