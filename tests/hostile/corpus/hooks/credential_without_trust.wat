;; promise: SECURITY, walls: no authority that was not given
;; attack: reads the credential of the cloud
;; fails: the application is not trusted with the cloud's credential
(import "periapt:charm/credential@0.1.0" "get" (func $get (param i32)))
(func $attack (result i32) (call $get (i32.const 1024)) (call $told (i32.const 1024)))
