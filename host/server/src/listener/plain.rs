//! Plain HTTP on the port of HTTPS: the first byte tells, and the answer is where to go.
//!
//! A person types an address without `https://` and would see a connection that breaks. Nothing
//! is served here, no credential is read, and the connection ends with its one answer.

use std::convert::Infallible;
use std::io;

use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{HEAD_BYTES, ListenerLimits};

/// The first byte of a TLS handshake.
const HANDSHAKE: u8 = 0x16;

/// Whether the client begins as one that speaks TLS. Waits for its first byte.
pub(super) async fn speaks_tls(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0];
    match stream.peek(&mut first).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(first == [HANDSHAKE]),
    }
}

/// Answers one request with the same address under `https`.
pub(super) async fn send_on(stream: TcpStream, limits: ListenerLimits) {
    let service =
        service_fn(
            |request: Request<Incoming>| async move { Ok::<_, Infallible>(elsewhere(&request)) },
        );
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // Whoever does not take the answer in time has none.
    let _ = timeout(limits.headers * 2, serving).await;
}

fn elsewhere<B>(request: &Request<B>) -> Response<String> {
    let said = "This port speaks HTTPS.\n".to_owned();
    let mut response = Response::new(said);
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .filter(|host| {
            let plain = |c: char| c.is_ascii_alphanumeric() || ".-:[]_".contains(c);
            !host.is_empty() && host.chars().all(plain)
        });
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let location = host.and_then(|host| {
        let location = format!("https://{host}{path}");
        HeaderValue::try_from(location).ok()
    });
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    match location {
        Some(location) => {
            headers.insert(header::LOCATION, location);
            *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
        }
        None => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    response
}
