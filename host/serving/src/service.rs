//! A workload of one unit, and how it answers a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http_body::Body;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::{Semaphore, oneshot};
use wasmtime_wasi_http::Error;

use crate::body::{Answer, Bounded, Served, State};
use crate::excess::Excess;
use crate::files::Sight;
use crate::instance::Running;
use crate::report::Report;
use crate::room::Room;
use crate::{Connector, Failure, Limits, Listener, LoadedServer, Mount, ServingEngine, trace};

/// What a unit gives its web workload.
pub struct Workload {
    pub server: Arc<LoadedServer>,
    pub limits: Limits,
    /// The whole environment; nothing is inherited.
    pub environment: Vec<(String, String)>,
    pub mounts: Vec<Mount>,
    /// Authorities that it may send to, such as `api.example.com` or `10.0.0.7:8080`, to the letter, besides
    /// those that the connector grants.
    pub granted: Arc<[String]>,
    pub connector: Arc<dyn Connector>,
    pub listener: Arc<dyn Listener>,
}

/// A workload at work; clones share it.
#[derive(Clone)]
pub struct Service {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: ServingEngine,
    pub(crate) workload: Workload,
    pub(crate) excess: Arc<Excess>,
    room: Room,
}

impl Inner {
    /// Room for what one request sends.
    pub(crate) fn outgoing(&self) -> Arc<Semaphore> {
        Arc::new(Semaphore::new(self.workload.limits.outgoing as usize))
    }
}

impl Service {
    pub fn new(engine: &ServingEngine, workload: Workload) -> Self {
        Self {
            inner: Arc::new(Inner {
                room: Room::new(&workload.limits, engine.room().clone()),
                engine: engine.clone(),
                excess: Arc::default(),
                workload,
            }),
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.inner.workload.limits
    }

    /// Answers a request, by the guest or by a sentence that says why not; the answer has the [`Failure`] among
    /// its extensions then.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Served>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Error>,
    {
        let listener = self.inner.workload.listener.clone();
        self.answer_to(request, listener).await
    }

    /// The same, where somebody else is told how it ended.
    pub async fn answer_to<B>(
        &self,
        mut request: Request<B>,
        listener: Arc<dyn Listener>,
    ) -> Response<Served>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Error>,
    {
        let mut report = Report::begin(listener);
        report.traced = trace::begin(&mut request).map(Box::new);
        match self.attempt(request, &mut report).await {
            Ok((head, body, mut guest)) => {
                report.ended.status = head.status.as_u16();
                // Nothing will be asked of a body that is none.
                if body.is_end_stream() {
                    guest.let_go();
                }
                let answer = Answer {
                    length: length(&head.headers),
                    inner: body,
                    guest,
                    limit: self.limits().response_body_bytes,
                    report,
                    state: State::Flowing,
                };
                Response::from_parts(head, Served::guest(answer))
            }
            Err(failure) => {
                let status = failure.status();
                report.ended.status = status.as_u16();
                let mut response = refusal(status, &failure);
                report.ended.failure = Some(failure.clone());
                response.extensions_mut().insert(failure);
                response
            }
        }
    }

    async fn attempt<B>(
        &self,
        request: Request<B>,
        report: &mut Report,
    ) -> Result<(hyper::http::response::Parts, HyperBody, Running), Failure>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Error>,
    {
        let limits = self.limits();
        check(&request, limits)?;
        let place = self.inner.room.enter(limits).await?;
        report.admitted();
        let over = Arc::new(AtomicBool::new(false));
        let bound = limits.request_body_bytes;
        let request = request.map(|body| Bounded::new(body, bound, over.clone()));
        let (sender, head) = oneshot::channel();
        let computing = report.computing();
        let (inner, files) = (self.inner.clone(), Sight::default());
        let mut guest = Running::begin(inner, place, request, sender, files.clone(), computing);
        let head = head.await;
        // Whatever the guest made of it: it has not seen the whole.
        if over.load(Ordering::Relaxed) {
            return Err(Failure::RequestBody { limit: bound });
        }
        // Nor has one that may not have found what was there when it began.
        if !files.is_in_place() {
            return Err(Failure::Outdated);
        }
        match head {
            Ok(Ok(response)) => {
                let (head, body) = response.into_parts();
                if head.status.is_informational() {
                    return Err(Failure::Refused(format!("status {}", head.status)));
                }
                if head.headers.len() > limits.header_count as usize {
                    let limit = limits.header_count;
                    return Err(Failure::AnswerHeaders { limit });
                }
                Ok((head, body, guest))
            }
            Ok(Err(code)) => Err(Failure::Refused(format!("{code:?}"))),
            Err(_) => {
                let (peak, result) = (&mut guest).await;
                report.ended.memory_bytes = peak;
                Err(result.err().unwrap_or(Failure::NoAnswer))
            }
        }
    }
}

type HyperBody = wasmtime_wasi_http::p2::body::HyperOutgoingBody;

/// What is refused before anything is made for it.
fn check<B: Body>(request: &Request<B>, limits: &Limits) -> Result<(), Failure> {
    if request.method() == Method::CONNECT {
        return Err(Failure::Malformed("it asks for a tunnel"));
    }
    let headers = request.headers();
    if headers.len() > limits.header_count as usize {
        return Err(Failure::HeaderCount {
            limit: limits.header_count,
        });
    }
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if bytes > limits.header_bytes as usize {
        return Err(Failure::HeaderSize {
            limit: limits.header_bytes,
        });
    }
    let mut hosts = headers.get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (_, Some(_)) => return Err(Failure::Malformed("it has more than one host")),
        (None, None) if request.uri().authority().is_none() => {
            return Err(Failure::Malformed("it names no host"));
        }
        (Some(host), None) if host.to_str().is_err() => {
            return Err(Failure::Malformed("its host is no text"));
        }
        _ => {}
    }
    let limit = limits.request_body_bytes;
    match request.body().size_hint().lower() > limit {
        true => Err(Failure::RequestBody { limit }),
        false => Ok(()),
    }
}

fn refusal(status: StatusCode, failure: &Failure) -> Response<Served> {
    let mut response = Response::new(Served::text(format!(
        "{status}\nThe application did not answer: {}.\n",
        failure.public()
    )));
    *response.status_mut() = status;
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, text);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let soon = HeaderValue::from_static("1");
        response.headers_mut().insert(RETRY_AFTER, soon);
    }
    response
}

fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
