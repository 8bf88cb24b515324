//! Web workloads for Periapt: a component that answers HTTP requests.
//!
//! A charm describes its workload; a service of kind `http` is a second component of the charm
//! which exports `wasi:http/incoming-handler@0.2`. This crate makes one of a function:
//!
//! ```
//! use periapt_http::{Handler, Method, Request, Response};
//!
//! struct Greeter;
//!
//! impl Handler for Greeter {
//!     fn handle(request: Request) -> Response {
//!         match (request.method(), request.path()) {
//!             (Method::Get | Method::Head, "/") => Response::text("Hello!\n"),
//!             (_, "/") => Response::status(405),
//!             _ => Response::status(404),
//!         }
//!     }
//! }
//!
//! periapt_http::export!(Greeter);
//!
//! // A test calls the handler as it is, without WebAssembly.
//! let answer = Greeter::handle(Request::get("/"));
//! assert_eq!(answer.code(), 200);
//! ```
//!
//! # What a handler can rely on
//!
//! * Each request has an instance of its own: a `static` is as it was when the component was
//!   built, and nothing of one request is there for the next. What has to stay belongs into files,
//!   which a hook of the charm writes; the handler finds the directories that its layer names, to
//!   read, as ordinary `std::fs` paths, and each request sees them as the last hook committed them.
//! * A panic, a loop or too much memory end this request alone; the client is told that the application failed.
//! * There is no network. [`send`] reaches units of related applications, by names such as `docs-0.internal`
//!   or, for any of them, `docs.internal:8080`, at the ports that they have open for the relation; and
//!   nothing else.
//! * What is written to standard output and standard error is in the unit's log.
//!
//! # Building
//!
//! A `cdylib` for `wasm32-wasip2`, or for `wasm32-wasip1` and made a component with the adapter for
//! libraries, as `periapt charm build` does it.

mod body;
mod headers;
mod message;
mod outgoing;

#[cfg(target_family = "wasm")]
#[doc(hidden)]
pub mod guest;

pub use body::Body;
pub use headers::Headers;
pub use message::{Method, Request, Response};
pub use outgoing::{SendError, send};

/// What answers requests. [`export!`] makes it the component's.
pub trait Handler {
    /// Answers one request. What is in the body of the answer as [`Body::written`] is written
    /// after the head was sent.
    fn handle(request: Request) -> Response;
}

/// Makes a [`Handler`] what the component exports. Once in a crate; nothing outside of WebAssembly.
#[macro_export]
macro_rules! export {
    ($handler:ty) => {
        // Outside of WebAssembly this is all that uses it, beside its tests.
        const _: fn($crate::Request) -> $crate::Response = <$handler as $crate::Handler>::handle;

        #[cfg(target_family = "wasm")]
        const _: () = {
            struct Component;

            impl $crate::guest::Guest for Component {
                fn handle(
                    request: $crate::guest::IncomingRequest,
                    answer: $crate::guest::ResponseOutparam,
                ) {
                    $crate::guest::serve::<$handler>(request, answer);
                }
            }

            $crate::guest::wasip2::http::proxy::export!(Component);
        };
    };
}

#[cfg(test)]
mod tests;
