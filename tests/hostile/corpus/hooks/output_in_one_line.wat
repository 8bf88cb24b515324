;; promise: SPECIFICATION 2, a limit on output
;; attack: writes a megabyte without a line end
;; fails: wrote more than its limit of 65536 bytes of output and log
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(func $attack (result i32) (local $i i32)
  (memory.fill (i32.const 4096) (i32.const 120) (i32.const 4096))
  (i32.store (i32.const 1024) (i32.const 4096))
  (i32.store (i32.const 1028) (i32.const 4096))
  (loop $more
    (drop (call $write (i32.const 1) (i32.const 1024) (i32.const 1) (i32.const 1040)))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $more (i32.lt_u (local.get $i) (i32.const 256))))
  (i32.const 64))
