;; promise: SPECIFICATION 8, a compiler with its own limits
;; attack: jumps by a table of a million entries
;; refused: this is not a WebAssembly component | does not export "hooks" | compiling the component took
(component
  (core module $m (func (param i32) local.get 0 br_table {{1000000 times 0 }})))
