;; promise: SPECIFICATION 2, limits count over all instances
;; attack: instantiates a module 200 times
;; refused: does not export "hooks" | the component needs | could not be asked
(component
  (core module $m (memory 1))
  {{200 times (core instance (instantiate $m))\n}})
