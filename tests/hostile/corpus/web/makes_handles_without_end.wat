;; promise: SECURITY 7 and the attacks of web workloads
;; attack: makes header fields and gives none back
;; answered: HTTP/1.1 500
(func $attack (param $request i32) (param $out i32)
  (loop $more (drop (call $fields)) (br $more)))
