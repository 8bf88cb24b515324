;; promise: bounds, a reason is 4 KiB and the rest is cut off
;; attack: fails with a reason of 16 MiB
;; fails: xxxxxxxx
(func $attack (result i32)
  (drop (memory.grow (i32.const 300)))
  (memory.fill (i32.const 131072) (i32.const 120) (i32.const 16777216))
  (i32.store (i32.const 2048) (i32.const 1))
  (i32.store (i32.const 2052) (i32.const 131072))
  (i32.store (i32.const 2056) (i32.const 16777216))
  (i32.const 2048))
