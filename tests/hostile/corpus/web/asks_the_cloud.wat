;; promise: SECURITY, egress: denied before anything is connected
;; attack: sends a request to where clouds tell machines their credentials
;; answered: HTTP/1.1 403
(data (i32.const 2048) "169.254.169.254:80")
(func $attack (param $request i32) (param $out i32)
  ;; The number of a refusal is negative.
  (if (i32.lt_s (call $status (i32.const 2048) (i32.const 18)) (i32.const 0))
    (then (call $answer (local.get $out) (i32.const 403)))
    (else (call $answer (local.get $out) (i32.const 200))))
  (call $close))
