//! Passes a request on to where it may come, and its answer back.
//!
//! To the process that serves, two header fields say for which unit and port a request is, and one of its
//! answers that the unit is not there, or why the process that serves refused the request in the place of the
//! unit, which the gate makes pages of. Nobody but the two sets them: what a client or a guest says under
//! these names is dropped, here and there.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::back::{Back, Sent};
use super::fields::{forwarded, remove_hops};
use super::front::{Connection, Flight};
use super::names::{Named, Target, host};
use super::pages::{Page, Who};
use super::table::{Tables, Way, Ways};
use super::traced::{Traced, Traces};
use super::websocket::{self, Asks};
use crate::frames::Leads;

/// For which unit and port a request is, why it cannot come there, and why it came there in vain.
pub const UNIT: HeaderName = HeaderName::from_static("periapt-unit");
pub const PORT: HeaderName = HeaderName::from_static("periapt-port");
pub const NOT_HERE: HeaderName = HeaderName::from_static("periapt-not-here");
pub const REFUSED: HeaderName = HeaderName::from_static("periapt-refused");

/// A process that serves ends each request within its own bound; this is for one that does not go on at all.
pub const LONGEST: Duration = Duration::from_secs(900);
/// How often a request is sent that nobody can have begun to answer twice.
const TRIES: usize = 3;

/// From a listener to those that may be reached by it.
pub struct Passage {
    pub leads: Leads,
    pub tables: Tables,
    pub back: Back,
    pub traces: Traces,
    pub patience: Duration,
    /// Two joined connections over which nothing goes for so long are closed.
    pub quiet: Duration,
}

impl Passage {
    pub async fn answer(
        &self,
        connection: &Arc<Connection>,
        peer: SocketAddr,
        mut request: Request<Incoming>,
    ) -> Response<Given> {
        let flight = connection.begin();
        let joining = match websocket::asks(&request) {
            Asks::Nothing => None,
            Asks::Badly => return Page::handshake().answer(),
            Asks::Well => match self.back.tunnel() {
                Some(place) => Some((hyper::upgrade::on(&mut request), place)),
                None => return Page::busy().answer(),
            },
        };
        let asks = joining.is_some();
        let mut traced = None;
        let attempt = self.attempt(&flight, peer, request, asks, &mut traced);
        let answered = attempt.await;
        if let Some(traced) = &mut traced {
            traced.answered(match &answered {
                Ok((answer, _)) => answer.status(),
                Err(page) => page.status,
            });
        }
        let (answer, room) = match answered {
            Ok(answered) => answered,
            Err(page) => return page.answer(),
        };
        match joining {
            Some((client, place)) if answer.status() == StatusCode::SWITCHING_PROTOCOLS => {
                let joined = websocket::Joined {
                    connection: connection.clone(),
                    _under_way: (flight, room, place),
                    patience: self.patience,
                    quiet: self.quiet,
                };
                joined.begin(client, answer)
            }
            _ => answer.map(|body| Given::flying(body, (flight, room, traced))),
        }
    }

    async fn attempt(
        &self,
        flight: &Flight,
        peer: SocketAddr,
        mut request: Request<Incoming>,
        asks: bool,
        traced: &mut Option<Box<Traced>>,
    ) -> Result<(Response<Incoming>, OwnedSemaphorePermit), Page> {
        if request.method() == Method::CONNECT {
            return Err(Page::tunnel());
        }
        let host = host(request.uri(), request.headers()).map_err(|_| Page::unclear())?;
        let table = self.tables.now();
        let target = self.aim().or_else(|| table.find(&host));
        let target = target.ok_or_else(|| Page::nothing(&host))?;
        let ways = table.ways(&target, peer.ip(), turn());
        if table.traces(&target.model) {
            *traced = self.trace(&target, &ways, &host, &mut request);
        }
        drop(table);
        let mut open = match ways {
            Ways::Open(ways) => Some(ways),
            Ways::Nothing => return Err(Page::nothing(&host)),
            Ways::Down(..) => None,
        };
        let (mut parts, body) = request.into_parts();
        forwarded(&mut parts, peer)?;
        if let Some(traced) = traced {
            traced.mark(&mut parts.headers);
        }
        let mut body = (!body.is_end_stream()).then_some(body);
        if body.is_none() {
            // Whoever reads it is not to wait for what does not come.
            parts.headers.remove(CONTENT_LENGTH);
        }
        if asks {
            websocket::ask(&mut parts.headers);
        }
        let again = body.is_none() && parts.method.is_safe();
        let mut failed = None;
        for _ in 0..TRIES {
            let ways = match open.take() {
                Some(ways) => ways,
                None => {
                    // A connection lives as long as all of its aims are shown.
                    flight.aims(&target);
                    self.ways(&target, &host, peer).await?
                }
            };
            for way in ways {
                let room = self.back.room().await.ok_or_else(Page::busy)?;
                flight.goes(&target, &way);
                if let Some(traced) = traced {
                    traced.goes(&way);
                }
                // Whoever closed it meanwhile looked for this request before it was there.
                if !self.tables.now().keeps(&way, peer.ip()) {
                    continue;
                }
                let sent: Sent = match body.take() {
                    Some(body) => body.boxed(),
                    None => Empty::new().map_err(|never| match never {}).boxed(),
                };
                match self.send(&parts, &way, sent).await {
                    Ok(answer) => return Ok((answer, room)),
                    // What was sent of a body is gone with it.
                    Err(page) if !again || page.of_service => return Err(page),
                    Err(page) => failed = Some(page),
                }
            }
        }
        Err(failed.unwrap_or_else(|| Page::nothing(&host)))
    }

    /// Of a request that comes to some unit, whether it is traced.
    fn trace(
        &self,
        target: &Target,
        ways: &Ways,
        host: &str,
        request: &mut Request<Incoming>,
    ) -> Option<Box<Traced>> {
        let unit = match ways {
            Ways::Nothing => return None,
            Ways::Down(unit, _) => unit,
            Ways::Open(ways) => &ways.first()?.unit,
        };
        self.traces.begin((&target.model, unit), host, request)
    }

    /// For whom all requests are, whatever host they name.
    pub fn aim(&self) -> Option<Target> {
        match &self.leads {
            Leads::ByName => None,
            Leads::To(model, unit, port) => Some(Target {
                model: model.clone(),
                named: Named::Unit(unit.clone()),
                port: Some(*port),
            }),
        }
    }

    /// Where the request may come. A service that is about to start is waited for.
    async fn ways(&self, target: &Target, host: &str, peer: SocketAddr) -> Result<Vec<Way>, Page> {
        use periapt_model::workload::service::Current::{Starting, Stopping};
        let until = Instant::now() + self.patience;
        let mut tables = self.tables.watch();
        loop {
            let ways = tables.borrow_and_update().ways(target, peer.ip(), turn());
            let page = match ways {
                Ways::Open(ways) => return Ok(ways),
                Ways::Nothing => return Err(Page::nothing(host)),
                Ways::Down(unit, service) => {
                    let page = Page::down(unit.as_str(), service.as_ref());
                    match service {
                        Some((_, Starting | Stopping)) => page,
                        _ => return Err(page),
                    }
                }
            };
            if !matches!(
                tokio::time::timeout_at(until, tables.changed()).await,
                Ok(Ok(()))
            ) {
                return Err(page);
            }
        }
    }

    async fn send(&self, parts: &Parts, way: &Way, body: Sent) -> Result<Response<Incoming>, Page> {
        let unit = way.unit.as_str();
        let page = |make: fn(StatusCode, &Who<'_>, &str) -> Page, status, reason: &str| {
            let table = self.tables.now();
            let who = Who {
                unit: &way.unit,
                service: table.service(way),
            };
            make(status, &who, reason)
        };
        let failed = |reason: &str| page(Page::failed, StatusCode::BAD_GATEWAY, reason);
        let mut request = Request::new(body);
        *request.method_mut() = parts.method.clone();
        *request.headers_mut() = parts.headers.clone();
        let path = parts.uri.path_and_query().cloned();
        let path = path.unwrap_or_else(|| PathAndQuery::from_static("/"));
        *request.uri_mut() = Uri::builder()
            .scheme("http")
            .authority(way.model.as_str())
            .path_and_query(path)
            .build()
            .map_err(|_| Page::unclear())?;
        let text = |text: &str| HeaderValue::from_str(text).map_err(|_| Page::unclear());
        let headers = request.headers_mut();
        headers.insert(UNIT, text(unit)?);
        headers.insert(PORT, HeaderValue::from(way.port));
        let mut answer = match tokio::time::timeout(LONGEST, self.back.send(request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) if error.is_connect() => {
                return Err(failed("the process that serves it does not run"));
            }
            Ok(Err(error)) if is_the_clients(&error) => return Err(Page::broken()),
            Ok(Err(_)) => return Err(failed("the process that serves it ended")),
            Err(_) => {
                let status = StatusCode::GATEWAY_TIMEOUT;
                return Err(page(Page::failed, status, "it takes too long"));
            }
        };
        if let Some(reason) = answer.headers().get(NOT_HERE) {
            let reason = reason.to_str().unwrap_or("it is not there");
            return Err(failed(reason));
        }
        if let Some(reason) = answer.headers().get(REFUSED) {
            let reason = reason.to_str().unwrap_or("it failed");
            return Err(page(Page::refused, answer.status(), reason));
        }
        if answer.status().is_informational() {
            return match websocket::grants(&parts.headers, &answer) {
                true => Ok(answer),
                false => Err(failed("it wants another protocol than it was asked for")),
            };
        }
        remove_hops(answer.headers_mut());
        *answer.version_mut() = Version::HTTP_11;
        Ok(answer)
    }
}

/// Who is first among several.
fn turn() -> usize {
    static TURN: AtomicUsize = AtomicUsize::new(0);
    TURN.fetch_add(1, Ordering::Relaxed)
}

/// Whether a request could not be sent because its own body is not as it has to be, or does not come.
fn is_the_clients(error: &hyper_util::client::legacy::Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<hyper::Error>()
            .is_some_and(hyper::Error::is_user)
        {
            return true;
        }
        cause = error.source();
    }
    false
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer: a page, or what comes from a unit.
pub struct Given {
    body: UnsyncBoxBody<Bytes, Cause>,
    under_way: Option<UnderWay>,
}

/// What lasts as long as a request is under way.
type UnderWay = (Flight, OwnedSemaphorePermit, Option<Box<Traced>>);

impl Given {
    pub fn boxed<B>(body: B) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Cause>,
    {
        Self {
            body: body.map_err(Into::into).boxed_unsync(),
            under_way: None,
        }
    }

    /// The request is under way as long as this is.
    fn flying(body: Incoming, under_way: UnderWay) -> Self {
        // It is not asked for anything before the client can take it.
        under_way.0.waits.begin();
        Self {
            under_way: Some(under_way),
            ..Self::boxed(body)
        }
    }
}

impl Body for Given {
    type Data = Bytes;
    type Error = Cause;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cause>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Some((flight, ..)) = &self.under_way {
            match frame.is_ready() {
                true => flight.waits.begin(),
                false => flight.waits.end(),
            }
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
