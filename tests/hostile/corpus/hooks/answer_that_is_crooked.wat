;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: answers at an address that is not aligned
;; fails: the charm crashed | the hook ended unexpectedly
(func $attack (result i32) (i32.const 65))
