;; promise: SECURITY 7 and the attacks of web workloads
;; attack: calls itself until its stack is exhausted
;; answered: HTTP/1.1 500
(func $deep (param i32) (result i32)
  (i32.add (i32.const 1) (call $deep (local.get 0))))
(func $attack (param $request i32) (param $out i32)
  (drop (call $deep (i32.const 0))))
