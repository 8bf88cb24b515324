;; promise: SPECIFICATION 2, a limit on host calls
;; attack: looks at a file a million times
;; fails: more than its limit of 20000 host calls
(import "wasi_snapshot_preview1" "path_filestat_get" (func $look (param i32 i32 i32 i32 i32) (result i32)))
(data (i32.const 2048) "metadata.yaml")
(func $attack (result i32) (local $i i32)
  (loop $again
    (drop (call $look (i32.const 3) (i32.const 0) (i32.const 2048) (i32.const 13) (i32.const 1024)))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
  (i32.const 64))
