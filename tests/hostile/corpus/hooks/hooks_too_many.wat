;; promise: bounds, a charm says it implements 256 hooks
;; attack: names 257 hooks
;; refused: it names 257 hooks; at most 256 are kept
(func $hooks (result i32) (local $i i32)
  (loop $more
    (i32.store (i32.add (i32.const 4096) (i32.mul (local.get $i) (i32.const 8))) (i32.const 48))
    (i32.store (i32.add (i32.const 4100) (i32.mul (local.get $i) (i32.const 8))) (i32.const 5))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $more (i32.lt_u (local.get $i) (i32.const 257))))
  (i32.store (i32.const 2048) (i32.const 4096))
  (i32.store (i32.const 2052) (i32.const 257))
  (i32.const 2048))
(func $attack (result i32) (i32.const 64))
