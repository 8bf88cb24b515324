;; promise: SPECIFICATION 1, a charm reaches only what it was given
;; attack: answers with a case that a result does not have
;; fails: the charm crashed | the hook ended unexpectedly
(data (i32.const 2048) "\07\00\00\00")
(func $attack (result i32) (i32.const 2048))
