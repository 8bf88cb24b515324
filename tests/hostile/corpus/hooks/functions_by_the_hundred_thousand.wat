;; promise: SPECIFICATION 8, a compiler with its own limits
;; attack: has 100,000 functions
;; refused: does not export "hooks" | compiling the component took
(component
  (core module $m {{100000 times (func)}}))
