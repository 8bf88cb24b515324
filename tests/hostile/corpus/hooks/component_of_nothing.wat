;; promise: SPECIFICATION 8, a charm is compiled when it is uploaded
;; attack: is a component that exports nothing
;; refused: does not export "hooks"
(component)
