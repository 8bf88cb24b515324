;; promise: SPECIFICATION 8, a compiler with its own limits
;; attack: has a function with 60,000 locals
;; refused: this is not a WebAssembly component
(component
  (core module $m (func {{60000 times (local i64)}})))
