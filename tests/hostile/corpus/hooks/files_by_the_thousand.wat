;; promise: SPECIFICATION 2, limits on host calls and on the size of directories
;; attack: makes empty files without end, each with a name of its own
;; fails: host calls | bytes in /state | within 4 s
(import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))
(func $key (param $at i32) (param $i i32) (local $n i32)
  (loop $digit
    (i32.store8 (i32.add (local.get $at) (local.get $n)) (i32.add (i32.const 97) (i32.and (local.get $i) (i32.const 15))))
    (local.set $i (i32.shr_u (local.get $i) (i32.const 4)))
    (local.set $n (i32.add (local.get $n) (i32.const 1)))
    (br_if $digit (i32.lt_u (local.get $n) (i32.const 4)))))
(func $attack (result i32) (local $i i32)
  (loop $more
    (call $key (i32.const 2048) (local.get $i))
    (drop (call $open (i32.const 4) (i32.const 0) (i32.const 2048) (i32.const 4)
      (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 1024)))
    (drop (call $close (i32.load (i32.const 1024))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br $more))
  unreachable)
