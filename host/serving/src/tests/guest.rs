//! Web workloads written by hand: a core module in text, with as much of `wasi:http` as it uses, as a
//! component.
//!
//! Memory below 4096 belongs to the frame. A body puts its own data from 2048 on.

use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// Answers with status 200 and the text of the request's path.
pub const PATH: &str =
    "(call $path (local.get $request)) (call $answer (local.get $out) (i32.const 200))
    (call $write (global.get $from) (global.get $many)) (call $close)";
/// Answers with what the request had as its body.
pub const ECHO: &str = "(call $answer (local.get $out) (i32.const 200)) (call $copy (local.get $request)) (call $close)";

#[derive(Clone, Copy)]
pub struct Guest<'a> {
    pub imports: &'a str,
    /// Functions, tables, globals, data.
    pub items: &'a str,
    /// Body of `handle`, with the request in `$request` and where its answer goes in `$out`.
    pub handle: &'a str,
    /// What the world imports beside.
    pub world: &'a str,
}

impl Default for Guest<'_> {
    fn default() -> Self {
        Self {
            imports: "",
            items: "",
            handle: PATH,
            world: "",
        }
    }
}

impl Guest<'_> {
    pub fn component(&self) -> Vec<u8> {
        let text = FRAME
            .replace("IMPORTS", self.imports)
            .replace("ITEMS", self.items)
            .replace("HANDLE", self.handle);
        let mut module = wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut resolve = Resolve::default();
        let wit = WIT.replace("WORLD", self.world);
        let package = resolve.push_str("guest.wit", &wit).unwrap();
        let world = resolve.select_world(&[package], Some("server")).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        ComponentEncoder::default()
            .module(&module)
            .unwrap()
            .encode()
            .unwrap()
    }
}

/// Helpers: `$path` finds the path, `$answer` sends a head, `$write` and `$close` its body, `$copy` writes
/// the request's body into it, `$send` sends a request and `$status` waits for what becomes of it.
const FRAME: &str = r#"(module
  (import "wasi:http/types@0.2.0" "[method]incoming-request.path-with-query" (func $target (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[method]incoming-request.consume" (func $consume (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[method]incoming-body.stream" (func $stream (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[constructor]fields" (func $fields (result i32)))
  (import "wasi:http/types@0.2.0" "[method]fields.append" (func $append (param i32 i32 i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.0" "[constructor]outgoing-response" (func $response (param i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-response.set-status-code" (func $code (param i32 i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-response.body" (func $body (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-body.write" (func $writer (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[static]outgoing-body.finish" (func $finish (param i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.0" "[static]response-outparam.set"
    (func $set (param i32 i32 i32 i32 i64 i32 i32 i32 i32)))
  (import "wasi:http/types@0.2.0" "[constructor]outgoing-request" (func $outgoing (param i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-request.set-authority"
    (func $authority (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-request.set-path-with-query"
    (func $where (param i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]outgoing-request.set-scheme"
    (func $scheme (param i32 i32 i32 i32 i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]future-incoming-response.subscribe" (func $subscribe (param i32) (result i32)))
  (import "wasi:http/types@0.2.0" "[method]future-incoming-response.get" (func $get (param i32 i32)))
  (import "wasi:http/types@0.2.0" "[method]incoming-response.status" (func $status_of (param i32) (result i32)))
  (import "wasi:http/outgoing-handler@0.2.0" "handle" (func $hand_out (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.0" "[method]input-stream.blocking-read" (func $read (param i32 i64 i32)))
  (import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush" (func $put (param i32 i32 i32 i32)))
  (import "wasi:io/streams@0.2.0" "[resource-drop]output-stream" (func $drop_writer (param i32)))
  (import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param i32)))
  (import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $timer (param i64) (result i32)))
  (import "wasi:cli/stdout@0.2.0" "get-stdout" (func $stdout (result i32)))
  IMPORTS
  (memory (export "memory") 2)
  (global $heap (mut i32) (i32.const 65536))
  (global $from (mut i32) (i32.const 0))
  (global $many (mut i32) (i32.const 0))
  (global $fields_of (mut i32) (i32.const 0))
  (global $content (mut i32) (i32.const 0))
  (global $out_stream (mut i32) (i32.const 0))
  (func $realloc (export "cabi_realloc") (param $old i32) (param $had i32) (param $align i32) (param $size i32) (result i32)
    (local $new i32)
    (local.set $new (i32.and (i32.add (global.get $heap) (i32.const 15)) (i32.const -16)))
    (global.set $heap (i32.add (local.get $new) (local.get $size)))
    (block $fits
      (loop $grow
        (br_if $fits (i32.le_u (global.get $heap) (i32.mul (memory.size) (i32.const 65536))))
        (br_if $grow (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0)))
        unreachable))
    (memory.copy (local.get $new) (local.get $old) (local.get $had))
    (local.get $new))
  (func $path (param $request i32)
    (call $target (local.get $request) (i32.const 128))
    (global.set $from (i32.load (i32.const 132)))
    (global.set $many (i32.load (i32.const 136))))
  (func $ok (param $at i32) (if (i32.load8_u (local.get $at)) (then unreachable)))
  (func $header (param $name i32) (param $length i32) (param $value i32) (param $size i32)
    (if (i32.eqz (global.get $fields_of)) (then (global.set $fields_of (call $fields))))
    (call $append (global.get $fields_of) (local.get $name) (local.get $length)
      (local.get $value) (local.get $size) (i32.const 128))
    (call $ok (i32.const 128)))
  (func $answer (param $out i32) (param $status i32)
    (local $answer i32)
    (if (i32.eqz (global.get $fields_of)) (then (global.set $fields_of (call $fields))))
    (local.set $answer (call $response (global.get $fields_of)))
    (drop (call $code (local.get $answer) (local.get $status)))
    (call $body (local.get $answer) (i32.const 128)) (call $ok (i32.const 128))
    (global.set $content (i32.load (i32.const 132)))
    (call $writer (global.get $content) (i32.const 128)) (call $ok (i32.const 128))
    (global.set $out_stream (i32.load (i32.const 132)))
    (call $set (local.get $out) (i32.const 0) (local.get $answer) (i32.const 0) (i64.const 0)
      (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))
  (func $write (param $from i32) (param $many i32)
    (call $put (global.get $out_stream) (local.get $from) (local.get $many) (i32.const 128))
    (call $ok (i32.const 128)))
  (func $close
    (call $drop_writer (global.get $out_stream))
    (call $finish (global.get $content) (i32.const 0) (i32.const 0) (i32.const 128))
    (call $ok (i32.const 128)))
  (func $copy (param $request i32)
    (local $in i32)
    (call $consume (local.get $request) (i32.const 128)) (call $ok (i32.const 128))
    (call $stream (i32.load (i32.const 132)) (i32.const 128)) (call $ok (i32.const 128))
    (local.set $in (i32.load (i32.const 132)))
    (block $end
      (loop $more
        (call $read (local.get $in) (i64.const 4096) (i32.const 128))
        (if (i32.load8_u (i32.const 128)) (then
          (br_if $end (i32.load8_u (i32.const 132)))
          unreachable))
        (call $write (i32.load (i32.const 132)) (i32.load (i32.const 136)))
        (br $more))))
  (func $say (param $from i32) (param $many i32)
    (call $put (call $stdout) (local.get $from) (local.get $many) (i32.const 128))
    (call $ok (i32.const 128)))
  ;; The status of the answer; or, as a negative number, the number of the error's case.
  (func $status (param $authority i32) (param $length i32) (result i32)
    (local $request i32)
    (if (i32.eqz (global.get $fields_of)) (then (global.set $fields_of (call $fields))))
    (local.set $request (call $outgoing (global.get $fields_of)))
    (global.set $fields_of (i32.const 0))
    (drop (call $scheme (local.get $request) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
    (drop (call $authority (local.get $request) (i32.const 1) (local.get $authority) (local.get $length)))
    (drop (call $where (local.get $request) (i32.const 1) (i32.const 1024) (i32.const 1)))
    (call $hand_out (local.get $request) (i32.const 0) (i32.const 0) (i32.const 128))
    (if (i32.load8_u (i32.const 128))
      (then (return (i32.sub (i32.const 0) (i32.load8_u (i32.const 136))))))
    (local.set $request (i32.load (i32.const 136)))
    (call $block (call $subscribe (local.get $request)))
    (call $get (local.get $request) (i32.const 128))
    (if (i32.load8_u (i32.const 144))
      (then (return (i32.sub (i32.const 0) (i32.load8_u (i32.const 152))))))
    (call $status_of (i32.load (i32.const 152))))
  (data (i32.const 1024) "/")
  ITEMS
  (func (export "wasi:http/incoming-handler@0.2.0#handle") (param $request i32) (param $out i32)
    (local $i i32)
    HANDLE)
)"#;

/// What the frame uses of WASI, as the host has it.
const WIT: &str = r#"package test:guests;

world server {
  import wasi:http/types@0.2.0;
  import wasi:http/outgoing-handler@0.2.0;
  import wasi:clocks/monotonic-clock@0.2.0;
  import wasi:cli/stdout@0.2.0;
  WORLD
  export wasi:http/incoming-handler@0.2.0;
}

package wasi:io@0.2.0 {
  interface error { resource error; }
  interface poll { resource pollable { block: func(); } }
  interface streams {
    use error.{error};
    variant stream-error { last-operation-failed(error), closed }
    resource input-stream { blocking-read: func(len: u64) -> result<list<u8>, stream-error>; }
    resource output-stream { blocking-write-and-flush: func(contents: list<u8>) -> result<_, stream-error>; }
  }
}

package wasi:clocks@0.2.0 {
  interface monotonic-clock {
    use wasi:io/poll@0.2.0.{pollable};
    subscribe-duration: func(when: u64) -> pollable;
  }
}

package wasi:cli@0.2.0 {
  interface stdout {
    use wasi:io/streams@0.2.0.{output-stream};
    get-stdout: func() -> output-stream;
  }
}

package wasi:filesystem@0.2.0 {
  interface types { resource descriptor; }
  interface preopens {
    use types.{descriptor};
    get-directories: func() -> list<tuple<descriptor, string>>;
  }
}

package wasi:sockets@0.2.0 {
  interface instance-network { resource network; instance-network: func() -> network; }
}

package wasi:http@0.2.0 {
  interface types {
    use wasi:io/streams@0.2.0.{input-stream, output-stream};
    use wasi:io/poll@0.2.0.{pollable};
    variant scheme { HTTP, HTTPS, other(string) }
    record DNS-error-payload { rcode: option<string>, info-code: option<u16> }
    record TLS-alert-received-payload { alert-id: option<u8>, alert-message: option<string> }
    record field-size-payload { field-name: option<string>, field-size: option<u32> }
    variant error-code {
      DNS-timeout, DNS-error(DNS-error-payload), destination-not-found, destination-unavailable,
      destination-IP-prohibited, destination-IP-unroutable, connection-refused,
      connection-terminated, connection-timeout, connection-read-timeout,
      connection-write-timeout, connection-limit-reached, TLS-protocol-error,
      TLS-certificate-error, TLS-alert-received(TLS-alert-received-payload),
      HTTP-request-denied, HTTP-request-length-required, HTTP-request-body-size(option<u64>),
      HTTP-request-method-invalid, HTTP-request-URI-invalid, HTTP-request-URI-too-long,
      HTTP-request-header-section-size(option<u32>),
      HTTP-request-header-size(option<field-size-payload>),
      HTTP-request-trailer-section-size(option<u32>),
      HTTP-request-trailer-size(field-size-payload), HTTP-response-incomplete,
      HTTP-response-header-section-size(option<u32>),
      HTTP-response-header-size(field-size-payload), HTTP-response-body-size(option<u64>),
      HTTP-response-trailer-section-size(option<u32>),
      HTTP-response-trailer-size(field-size-payload),
      HTTP-response-transfer-coding(option<string>),
      HTTP-response-content-coding(option<string>), HTTP-response-timeout, HTTP-upgrade-failed,
      HTTP-protocol-error, loop-detected, configuration-error, internal-error(option<string>),
    }
    variant header-error { invalid-syntax, forbidden, immutable }
    resource fields {
      constructor();
      append: func(name: string, value: list<u8>) -> result<_, header-error>;
    }
    resource incoming-body { %stream: func() -> result<input-stream>; }
    resource incoming-request {
      path-with-query: func() -> option<string>;
      consume: func() -> result<incoming-body>;
    }
    resource outgoing-body {
      write: func() -> result<output-stream>;
      finish: static func(this: outgoing-body, trailers: option<fields>) -> result<_, error-code>;
    }
    resource outgoing-response {
      constructor(headers: fields);
      set-status-code: func(status-code: u16) -> result;
      body: func() -> result<outgoing-body>;
    }
    resource response-outparam {
      set: static func(param: response-outparam, response: result<outgoing-response, error-code>);
    }
    resource outgoing-request {
      constructor(headers: fields);
      set-authority: func(authority: option<string>) -> result;
      set-path-with-query: func(path-with-query: option<string>) -> result;
      set-scheme: func(scheme: option<scheme>) -> result;
    }
    resource request-options;
    resource incoming-response { status: func() -> u16; }
    resource future-incoming-response {
      subscribe: func() -> pollable;
      get: func() -> option<result<result<incoming-response, error-code>>>;
    }
  }
  interface incoming-handler {
    use types.{incoming-request, response-outparam};
    handle: func(request: incoming-request, response-out: response-outparam);
  }
  interface outgoing-handler {
    use types.{outgoing-request, request-options, future-incoming-response, error-code};
    handle: func(request: outgoing-request, options: option<request-options>) -> result<future-incoming-response, error-code>;
  }
}
"#;
