;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: calls the host from the function that frees its answer, where no call is allowed
;; fails: the charm crashed | the hook ended unexpectedly
(import "periapt:charm/leadership@0.1.0" "is-leader" (func $is_leader (param i32)))
(func (export "cabi_post_dispatch") (param i32) (call $is_leader (i32.const 1024)))
(func $attack (result i32) (i32.const 64))
