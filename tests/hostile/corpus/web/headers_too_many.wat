;; promise: SECURITY 7 and the attacks of web workloads; header fields of an answer have bounds
;; attack: answers with 200 headers
;; answered: HTTP/1.1 500
(data (i32.const 2048) "a")
(func $attack (param $request i32) (param $out i32) (local $i i32)
  (loop $more
    (i32.store8 (i32.const 2048) (i32.add (i32.const 97) (i32.rem_u (local.get $i) (i32.const 26))))
    (call $header (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $more (i32.lt_u (local.get $i) (i32.const 200))))
  (call $answer (local.get $out) (i32.const 200))
  (call $close))
