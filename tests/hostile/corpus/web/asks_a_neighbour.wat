;; promise: SECURITY, egress: denied before anything is connected
;; attack: sends a request to another application, to which it has no relation
;; answered: HTTP/1.1 403
(data (i32.const 2048) "neighbour.test.localhost:80")
(func $attack (param $request i32) (param $out i32)
  ;; The number of a refusal is negative.
  (if (i32.lt_s (call $status (i32.const 2048) (i32.const 27)) (i32.const 0))
    (then (call $answer (local.get $out) (i32.const 403)))
    (else (call $answer (local.get $out) (i32.const 200))))
  (call $close))
