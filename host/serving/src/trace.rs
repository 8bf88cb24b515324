//! The parts of a traced request: the instance that answers it, and what that sends meanwhile.
//!
//! Whether a request is traced is decided before it comes here: it says so in a field that nobody but those
//! who pass requests on may set, [`FIELD`]. A guest is handed a `traceparent` that names its own instance, so what
//! it makes of that is in the same trace. Of a request that is not traced nothing is kept and nothing is made.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Request, StatusCode};
use periapt_model::workload::trace::{Context, Part, Span};
use tokio::time::Instant;

use crate::{Failure, Listener};

/// In which span of which trace a request was sent on; without it the request is not traced.
pub const FIELD: HeaderName = HeaderName::from_static("periapt-trace");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// A part that has begun. Whoever has it says how it ended.
pub struct Begun {
    span: Span,
    at: Instant,
}

/// The span of an instance, with its request.
#[derive(Clone, Copy)]
struct Own(Context);

/// The span in which somebody else sent a request, with it.
#[derive(Clone, Copy)]
struct Sent(Context);

impl Begun {
    /// A part of a request that begins now, and whose span has a number taken at random.
    pub fn now(
        part: Part,
        parent: Option<Context>,
        (method, authority, path): (&str, &str, &str),
    ) -> Self {
        let context = match parent {
            Some(parent) => parent.child(rand::random()),
            None => Context::begin(rand::random(), rand::random()),
        };
        let started_at = SystemTime::now().duration_since(UNIX_EPOCH);
        let started_at = started_at.map_or(0, |since| whole(since) as i64);
        let parent = parent.map(Context::span);
        let request = (method, authority, path);
        Self {
            span: Span::begin(part, (context, parent), started_at, request),
            at: Instant::now(),
        }
    }

    pub fn context(&self) -> Context {
        self.span.context
    }

    /// What is told of it, now that it is over.
    #[must_use]
    pub fn end(&self, status: u16, failure: Option<String>) -> Span {
        Span {
            duration: whole(self.at.elapsed()),
            status,
            failure,
            ..self.span.clone()
        }
        .bounded()
    }
}

/// Microseconds.
fn whole(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Takes from a request in which span it was sent. Of whoever may not say that the field is to be dropped before.
pub fn take<B>(request: &mut Request<B>) {
    if let Some(value) = request.headers_mut().remove(FIELD)
        && let Some(context) = value.to_str().ok().and_then(Context::read)
    {
        request.extensions_mut().insert(Sent(context));
    }
}

/// Says in which span a request is sent on.
pub fn put(headers: &mut HeaderMap, context: Context) {
    if let Ok(value) = HeaderValue::from_str(&context.to_string()) {
        headers.insert(FIELD, value);
    }
}

/// The instance of a request that is traced; from here on its guest is told so.
pub(crate) fn begin<B>(request: &mut Request<B>) -> Option<Begun> {
    let Sent(parent) = request.extensions_mut().remove()?;
    let uri = request.uri();
    let host = request.headers().get(HOST);
    let host = host.and_then(|host| host.to_str().ok());
    let authority = host.or(uri.authority().map(|authority| authority.as_str()));
    let asked = (
        request.method().as_str(),
        authority.unwrap_or_default(),
        uri.path(),
    );
    let begun = Begun::now(Part::Instance, Some(parent), asked);
    name(request.headers_mut(), begun.context());
    request.extensions_mut().insert(Own(begun.context()));
    Some(begun)
}

/// The span of the instance of a request.
pub(crate) fn own<B>(request: &Request<B>) -> Option<Context> {
    let own = request.extensions().get::<Own>();
    own.map(|Own(context)| *context)
}

/// Names a span to whoever gets these fields.
fn name(headers: &mut HeaderMap, context: Context) {
    if let Ok(value) = HeaderValue::from_str(&context.to_string()) {
        headers.insert(TRACEPARENT, value);
    }
}

/// A call of an instance, told of when it is over.
pub(crate) struct Call {
    begun: Begun,
    listener: Arc<dyn Listener>,
    status: Option<StatusCode>,
}

impl Call {
    /// Of a request that an instance sends. A guest that makes spans of its own names one of them, which is then
    /// left as it is and is what follows is part of; one that passes on what it was asked with names its own instance.
    pub(crate) fn begin(
        own: Option<Context>,
        listener: &Arc<dyn Listener>,
        request: &mut Parts,
        authority: &str,
    ) -> Option<Self> {
        request.headers.remove(FIELD);
        let own = own?;
        let said = request.headers.get(TRACEPARENT);
        match said.and_then(|said| Context::read(said.to_str().ok()?)) {
            Some(said) if said.trace() == own.trace() && said.span() != own.span() => {
                if said.sampled {
                    put(&mut request.headers, said);
                }
                return None;
            }
            Some(said) if said.trace() != own.trace() => return None,
            Some(_) => {}
            None => {
                request.headers.remove(TRACESTATE);
            }
        }
        let path = request.uri.path();
        let asked = (request.method.as_str(), authority, path);
        let begun = Begun::now(Part::Call, Some(own), asked);
        name(&mut request.headers, begun.context());
        put(&mut request.headers, begun.context());
        Some(Self {
            begun,
            listener: listener.clone(),
            status: None,
        })
    }

    pub(crate) fn answered(&mut self, status: StatusCode) {
        self.status = Some(status);
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let (status, failure) = match self.status {
            Some(status) => (status.as_u16(), None),
            None => (0, Some("nobody answered".to_owned())),
        };
        self.listener.span(self.begun.end(status, failure));
    }
}

/// What is told of an instance.
pub(crate) fn ended(begun: &Begun, status: u16, failure: Option<&Failure>) -> Span {
    begun.end(status, failure.map(ToString::to_string))
}
