;; promise: SECURITY 7 and the attacks of web workloads; a body has a bound
;; attack: writes its answer without end
;; answered: [cut]
(func $attack (param $request i32) (param $out i32)
  (call $answer (local.get $out) (i32.const 200))
  (loop $on (call $write (i32.const 0) (i32.const 4096)) (br $on)))
