;; promise: SECURITY 7 and the attacks of web workloads; limits on memory
;; attack: takes memory until it is refused
;; answered: HTTP/1.1 500
(func $attack (param $request i32) (param $out i32)
  (loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0))))
  unreachable)
