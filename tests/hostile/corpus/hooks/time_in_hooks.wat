;; promise: SPECIFICATION 8, a charm is compiled in a process with its own limits
;; attack: never says which hooks it has
;; refused: could not be asked for its hooks: the hook did not end within 10 s
(func $hooks (result i32) (loop $again (br $again)) unreachable)
(func $attack (result i32) (i32.const 64))
