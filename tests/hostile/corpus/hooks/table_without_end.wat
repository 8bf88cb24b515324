;; promise: SPECIFICATION 2, a limit on table elements
;; attack: makes a table larger until it is refused, then calls what is not there
;; fails: needs more than its limit of 20000 table elements
(table $t 1 funcref)
(type $nothing (func))
(func $attack (result i32)
  (loop $more (br_if $more (i32.ge_s (table.grow $t (ref.null func) (i32.const 1000)) (i32.const 0))))
  unreachable)
