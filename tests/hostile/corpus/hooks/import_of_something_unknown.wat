;; promise: SPECIFICATION 1, the interfaces of its world
;; attack: imports an interface that nobody offers
;; refused: the component imports "evil:corp/steal@0.1.0", which is not available to charms
(component
  (import "evil:corp/steal@0.1.0" (instance (export "take" (func)))))
