;; promise: SPECIFICATION 8, a charm is compiled when it is uploaded
;; attack: is a core module
;; refused: it is a core module
(module (func (export "dispatch")))
