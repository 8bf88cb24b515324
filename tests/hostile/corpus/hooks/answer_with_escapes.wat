;; promise: SECURITY, one function removes escapes and what hides from text
;; attack: fails with a reason that sets a title, colours, turns the direction, and holds NUL and CR
;; fails: one two three four
(data (i32.const 2048) "\01\00\00\00\00\09\00\00\2f\00\00\00")
(data (i32.const 2304) "\1b]0;owned\07one \1b[31mtwo\1b[0m\e2\80\ae three\00\e2\80\8b four\0d\0d\0d")
(func $attack (result i32) (i32.const 2048))
