;; promise: SECURITY 7 and the attacks of web workloads
;; attack: sleeps for an hour within one call into the host
;; answered: HTTP/1.1 504
(func $attack (param $request i32) (param $out i32)
  (call $block (call $timer (i64.const 3600000000000))))
