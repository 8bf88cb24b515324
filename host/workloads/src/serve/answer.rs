//! Answers what the gate passes on, and the requests of checks.

use std::convert::Infallible;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Either, Empty, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, UPGRADE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use periapt_model::UnitName;
use periapt_serving::{Cut, Ended, Failure, Listener, Served, Service, Stream, trace};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::units::Units;
use crate::channel::Outbox;
use crate::frames::{FromServe, Probe};
use crate::gate::{NOT_HERE, PORT, REFUSED, UNIT};

/// Of a page that a check asks for, read at most; what is beyond does not matter.
const PAGE_BYTES: u64 = 64 << 10;
/// Header fields of a request: those that the gate lets in, and its own.
const HEADERS: usize = 128;
/// A connection that was made just before the end is asked something within so long, or for nothing.
const FIRST: Duration = Duration::from_secs(1);

type Answer = Either<Taken, Full<Bytes>>;

#[derive(Clone)]
pub struct Answering {
    units: Arc<Units>,
    ending: CancellationToken,
    busy: Arc<Mutex<Busy>>,
}

struct Busy {
    requests: usize,
    since: Instant,
}

/// A request under way.
struct Turn(Arc<Mutex<Busy>>);

impl Answering {
    pub fn new(units: Arc<Units>, ending: CancellationToken) -> Self {
        let busy = Busy {
            requests: 0,
            since: Instant::now(),
        };
        Self {
            units,
            ending,
            busy: Arc::new(Mutex::new(busy)),
        }
    }

    /// Answers the requests of a connection of the gate.
    pub async fn connection(self, stream: UnixStream) {
        let stream = stream
            .set_nonblocking(true)
            .and_then(|()| tokio::net::UnixStream::from_std(stream));
        let Ok(stream) = stream else { return };
        let asked = CancellationToken::new();
        let answer = service_fn(|request| {
            asked.cancel();
            async { Ok::<_, Infallible>(self.answer(request).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .max_headers(HEADERS)
            // The gate keeps a connection for a while.
            .header_read_timeout(None::<Duration>)
            .serve_connection(TokioIo::new(stream), answer);
        let mut connection = std::pin::pin!(connection);
        // An end in the middle is the gate's or the guest's, which were told of it.
        tokio::select! {
            _ = &mut connection => return,
            () = self.ending.cancelled() => {}
        }
        // It would be closed before anything was read of it, which may be a request that cannot be sent again.
        tokio::select! {
            _ = &mut connection => return,
            () = asked.cancelled() => {}
            () = tokio::time::sleep(FIRST) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }

    async fn answer(&self, mut request: Request<Incoming>) -> Response<Answer> {
        let turn = Turn::begin(&self.busy);
        trace::take(&mut request);
        let service = match self.asked(&mut request) {
            Ok(service) => service,
            Err(reason) => return reason_alone(StatusCode::SERVICE_UNAVAILABLE, NOT_HERE, &reason),
        };
        if request.headers().contains_key(UPGRADE) {
            return not_offered();
        }
        let mut answer = service.answer(request).await;
        if let Some(failure) = answer.extensions_mut().remove::<Failure>() {
            // Where the unit is now it has the files that it committed since.
            let field = match failure {
                Failure::Outdated => NOT_HERE,
                _ => REFUSED,
            };
            return reason_alone(answer.status(), field, &failure.public());
        }
        // A guest that says it is not there, or was refused, is only saying so.
        answer.headers_mut().remove(NOT_HERE);
        answer.headers_mut().remove(REFUSED);
        answer.map(|body| Either::Left(Taken { body, _turn: turn }))
    }

    fn asked(&self, request: &mut Request<Incoming>) -> Result<Service, String> {
        let headers = request.headers_mut();
        let (unit, port) = (headers.remove(UNIT), headers.remove(PORT));
        let text = |value: Option<HeaderValue>| Some(value?.to_str().ok()?.to_owned());
        let unit: UnitName = text(unit)
            .and_then(|unit| unit.parse().ok())
            .ok_or("no unit is named")?;
        let port: u16 = text(port)
            .and_then(|port| port.parse().ok())
            .ok_or("no port is named")?;
        self.units.find(&unit, port)
    }

    /// Tells the supervisor once there was nothing to do for so long.
    pub async fn rest(self, after: Duration, outbox: Outbox<FromServe>) {
        loop {
            let wait = {
                let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
                match busy.requests {
                    0 => after.saturating_sub(busy.since.elapsed()),
                    _ => after,
                }
            };
            if wait.is_zero() {
                // It ends when the supervisor has heard it and says nothing more.
                let _ = outbox.send_in_turn(&FromServe::Resting).await;
                tokio::time::sleep(after.max(Duration::from_millis(100))).await;
            }
            tokio::time::sleep(wait).await;
        }
    }
}

impl Turn {
    fn begin(busy: &Arc<Mutex<Busy>>) -> Self {
        busy.lock().unwrap_or_else(PoisonError::into_inner).requests += 1;
        Self(busy.clone())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut busy = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        busy.requests -= 1;
        busy.since = Instant::now();
    }
}

/// A body whose request is under way as long as this is.
struct Taken {
    body: Served,
    _turn: Turn,
}

impl Body for Taken {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Of requests for another protocol, which the gate passes on for services that speak one.
pub const NOT_OFFERED: &str = "501 Not Implemented\nThe application does not speak WebSocket: \
    a handler of wasi:http 0.2 answers requests and takes no connection over.\n";

fn not_offered() -> Response<Answer> {
    let mut response = Response::new(Either::Right(Full::from(NOT_OFFERED)));
    *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// The gate makes a page of it.
fn reason_alone(status: StatusCode, field: HeaderName, reason: &str) -> Response<Answer> {
    let mut response = Response::new(Either::Right(Full::default()));
    *response.status_mut() = status;
    let reason = reason.replace(|c: char| !(c.is_ascii_graphic() || c == ' '), "?");
    if let Ok(reason) = HeaderValue::from_str(&reason) {
        response.headers_mut().insert(field, reason);
    }
    response
}

/// Makes a check's request of the unit itself. It has to be answered with 2xx, in time.
pub async fn probe(units: &Units, probe: Probe) -> Result<(), String> {
    let uri: Uri = probe.url.parse().map_err(|_| "its URL is none")?;
    let port = uri.port_u16().unwrap_or(80);
    let service = units.find(&probe.unit, port)?;
    let mut request = Request::get(uri.path_and_query().map_or("/", |path| path.as_str()));
    let host = uri.authority().map_or("localhost", |host| host.as_str());
    request = request.header(HOST, host);
    for (name, value) in &probe.headers {
        request = request.header(name, value);
    }
    let body = Empty::<Bytes>::new().map_err(hyper_never);
    let request = request.body(body).map_err(|error| error.to_string())?;
    let asking = async {
        let answer = service.answer_to(request, Arc::new(Unheard)).await;
        let status = answer.status();
        let mut body = answer.into_body();
        let mut read = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|cut| cut.to_string())?;
            read += frame.data_ref().map_or(0, Bytes::len) as u64;
            if read > PAGE_BYTES {
                break;
            }
        }
        match status.is_success() {
            true => Ok(()),
            false => Err(format!("answered with {status}")),
        }
    };
    let timeout = Duration::from_millis(probe.timeout_ms);
    let asked = tokio::time::timeout(timeout, asking).await;
    asked.unwrap_or_else(|_| Err(format!("no answer within {} s", timeout.as_secs_f64())))
}

/// A check is no visitor: what it asks for is not counted, and it says itself what was wrong.
struct Unheard;

impl Listener for Unheard {
    fn line(&self, _: Stream, _: &str) {}

    fn ended(&self, _: &Ended) {}

    fn computed(&self, _: std::time::Duration) {}
}

/// An empty body does not fail.
fn hyper_never(never: Infallible) -> hyper::Error {
    match never {}
}
