;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: answers at an address beyond its memory
;; fails: the charm crashed | the hook ended unexpectedly
(func $attack (result i32) (i32.const 0x7ffffff0))
