//! The way between this crate's types and the resources of `wasi:http`.
//!
//! Resources are given back in the order that the host asks for: a stream before its body.

use std::io::{self, Read};

pub use wasip2;
pub use wasip2::exports::http::incoming_handler::Guest;
pub use wasip2::http::types::{IncomingRequest, ResponseOutparam};

use wasip2::http::outgoing_handler;
use wasip2::http::types::{
    ErrorCode, Fields, IncomingBody, Method as WasiMethod, OutgoingBody, OutgoingRequest,
    OutgoingResponse, Scheme,
};
use wasip2::io::streams::InputStream;

use crate::body::Content;
use crate::{Body, Handler, Headers, Method, Request, Response, SendError};

/// Answers one request with `H`.
pub fn serve<H: Handler>(request: IncomingRequest, answer: ResponseOutparam) {
    let request = incoming(request);
    let head = request.method == Method::Head;
    let response = H::handle(request);
    if let Err(error) = respond(response, head, answer) {
        // The host cuts off what was begun when the instance ends like this.
        eprintln!("the answer could not be written: {error}");
        std::process::abort();
    }
}

fn incoming(request: IncomingRequest) -> Request {
    let headers = request.headers().entries();
    let body = request.consume().ok().and_then(reader);
    Request {
        method: match request.method() {
            WasiMethod::Get => Method::Get,
            WasiMethod::Head => Method::Head,
            WasiMethod::Post => Method::Post,
            WasiMethod::Put => Method::Put,
            WasiMethod::Delete => Method::Delete,
            WasiMethod::Patch => Method::Patch,
            WasiMethod::Options => Method::Options,
            WasiMethod::Connect => Method::Other("CONNECT".to_owned()),
            WasiMethod::Trace => Method::Other("TRACE".to_owned()),
            WasiMethod::Other(name) => Method::Other(name),
        },
        scheme: match request.scheme() {
            Some(Scheme::Https) => "https".to_owned(),
            Some(Scheme::Other(name)) => name,
            Some(Scheme::Http) | None => "http".to_owned(),
        },
        authority: request.authority().unwrap_or_default(),
        target: request.path_with_query().unwrap_or_else(|| "/".to_owned()),
        headers: Headers::from_fields(headers),
        body: body.unwrap_or_default(),
    }
}

fn respond(mut response: Response, head: bool, answer: ResponseOutparam) -> io::Result<()> {
    // A status that says there is no body has none, and says nothing of its length either.
    let bodiless = response.code < 200 || matches!(response.code, 204 | 304);
    if let (Some(length), false) = (response.body.length(), bodiless)
        && response.headers.get("content-length").is_none()
    {
        response.headers.set("content-length", length.to_string());
    }
    let fields = fields(response.headers)?;
    let outgoing = OutgoingResponse::new(fields);
    outgoing
        .set_status_code(response.code)
        .map_err(|()| invalid("status"))?;
    if head || bodiless || matches!(response.body.0, Content::Empty) {
        ResponseOutparam::set(answer, Ok(outgoing));
        return Ok(());
    }
    let body = outgoing.body().map_err(|()| invalid("body"))?;
    ResponseOutparam::set(answer, Ok(outgoing));
    write(body, response.body)
}

/// Sends a request and waits for the head of its answer.
pub fn send(request: Request) -> Result<Response, SendError> {
    let failed = |text: &str| SendError::unreached(text);
    let unreachable = |error: &dyn std::fmt::Display| SendError::unreached(error.to_string());
    let outgoing = OutgoingRequest::new(fields(request.headers).map_err(|e| unreachable(&e))?);
    let method = match request.method {
        Method::Get => WasiMethod::Get,
        Method::Head => WasiMethod::Head,
        Method::Post => WasiMethod::Post,
        Method::Put => WasiMethod::Put,
        Method::Delete => WasiMethod::Delete,
        Method::Patch => WasiMethod::Patch,
        Method::Options => WasiMethod::Options,
        Method::Other(name) => WasiMethod::Other(name),
    };
    let scheme = match request.scheme.as_str() {
        "http" => Scheme::Http,
        "https" => Scheme::Https,
        other => Scheme::Other(other.to_owned()),
    };
    let set = outgoing
        .set_method(&method)
        .and_then(|()| outgoing.set_scheme(Some(&scheme)))
        .and_then(|()| outgoing.set_authority(Some(&request.authority)))
        .and_then(|()| outgoing.set_path_with_query(Some(&request.target)));
    set.map_err(|()| failed("this is no address of a request"))?;
    let body = match request.body.0 {
        Content::Empty => None,
        _ => Some(outgoing.body().map_err(|()| failed("no body"))?),
    };
    let refused = |code: ErrorCode| match is_unreached(&code) {
        true => SendError::unreached(format!("{code:?}")),
        false => SendError::lost(format!("{code:?}")),
    };
    let coming = outgoing_handler::handle(outgoing, None).map_err(refused)?;
    if let Some(body) = body {
        write(body, request.body).map_err(|error| SendError::lost(error.to_string()))?;
    }
    coming.subscribe().block();
    let answer = match coming.get() {
        Some(Ok(answer)) => answer.map_err(refused)?,
        Some(Err(())) | None => return Err(SendError::lost("no answer")),
    };
    Ok(Response {
        code: answer.status(),
        headers: Headers::from_fields(answer.headers().entries()),
        body: answer.consume().ok().and_then(reader).unwrap_or_default(),
    })
}

/// Whether it says that nothing was sent.
fn is_unreached(code: &ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::ConnectionRefused
            | ErrorCode::ConnectionLimitReached
            | ErrorCode::DestinationNotFound
            | ErrorCode::DestinationUnavailable
            | ErrorCode::DnsError(_)
            | ErrorCode::HttpRequestDenied
    )
}

fn fields(headers: Headers) -> io::Result<Fields> {
    Fields::from_list(&headers.into_fields())
        .map_err(|error| io::Error::other(format!("a header cannot be sent: {error:?}")))
}

fn write(body: OutgoingBody, content: Body) -> io::Result<()> {
    let mut stream = body.write().map_err(|()| invalid("stream"))?;
    content.write_to(&mut stream)?;
    drop(stream);
    OutgoingBody::finish(body, None).map_err(|code| io::Error::other(format!("{code:?}")))
}

fn reader(body: IncomingBody) -> Option<Body> {
    let stream = body.stream().ok()?;
    Some(Body::read(Incoming {
        stream,
        _body: body,
    }))
}

/// Fields end in their order.
struct Incoming {
    stream: InputStream,
    _body: IncomingBody,
}

impl Read for Incoming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Read::read(&mut self.stream, buffer)
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::other(format!("the host takes no such {what}"))
}
