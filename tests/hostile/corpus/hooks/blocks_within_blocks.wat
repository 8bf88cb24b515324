;; promise: SPECIFICATION 8, a compiler with its own limits
;; attack: has 30,000 blocks in one another
;; refused: does not export "hooks" | this is not a WebAssembly component | compiling the component took | the compiler process
(component
  (core module $m (func {{30000 times block }} {{30000 times end }})))
