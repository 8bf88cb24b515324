//! Passes a request on to where it may come, and its answer back.
//!
//! To the process that serves, two header fields say for which unit and port a request is, and one of its
//! answers that the unit is not there. Nobody but the two sets them: what a client or a guest says under
//! these names is dropped, here and there.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, EXPECT, FORWARDED, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::back::{Back, Sent};
use super::front::{Connection, Flight};
use super::names::{Named, Target, host};
use super::pages::Page;
use super::table::{Tables, Way, Ways};
use crate::frames::Leads;

/// For which unit and port a request is, and why it is not answered there.
pub const UNIT: HeaderName = HeaderName::from_static("periapt-unit");
pub const PORT: HeaderName = HeaderName::from_static("periapt-port");
pub const NOT_HERE: HeaderName = HeaderName::from_static("periapt-not-here");

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
/// Of one connection and no other.
const HOPS: [HeaderName; 7] = [
    CONNECTION,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];
/// A process that serves ends each request within its own bound; this is for one that does not go on at all.
pub const LONGEST: Duration = Duration::from_secs(900);
/// Fields of what is sent on, without the two of the gate: serving takes no more than 100.
const FIELDS: usize = 90;
/// How often a request is sent that nobody can have begun to answer twice.
const TRIES: usize = 3;

/// From a listener to those that may be reached by it.
pub struct Passage {
    pub leads: Leads,
    pub tables: Tables,
    pub back: Back,
    pub patience: Duration,
}

impl Passage {
    pub async fn answer(
        &self,
        connection: &Connection,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> Response<Given> {
        let flight = connection.begin();
        match self.attempt(&flight, peer, request).await {
            Ok((answer, room)) => answer.map(|body| Given::flying(body, flight, room)),
            Err(page) => page.answer(),
        }
    }

    async fn attempt(
        &self,
        flight: &Flight,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> Result<(Response<Incoming>, OwnedSemaphorePermit), Page> {
        if request.method() == Method::CONNECT || upgrades(request.headers()) {
            return Err(Page::upgrade());
        }
        let host = host(request.uri(), request.headers()).map_err(|_| Page::unclear())?;
        // Only what is shown is an aim: a connection lives as long as all of its aims are shown.
        let target = self
            .target(&host)
            .filter(|target| self.tables.now().shows(target, peer.ip()))
            .ok_or_else(|| Page::nothing(&host))?;
        flight.aims(&target);
        let (mut parts, body) = request.into_parts();
        forwarded(&mut parts, peer)?;
        let mut body = (!body.is_end_stream()).then_some(body);
        let again = body.is_none() && parts.method.is_safe();
        let mut failed = None;
        for _ in 0..TRIES {
            for way in self.ways(&target, &host, peer).await? {
                let room = self.back.room().await.ok_or_else(Page::busy)?;
                flight.goes(&way);
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
                    Err(page) if !again => return Err(page),
                    Err(page) => failed = Some(page),
                }
            }
        }
        Err(failed.unwrap_or_else(|| Page::nothing(&host)))
    }

    fn target(&self, host: &str) -> Option<Target> {
        match &self.leads {
            Leads::ByName => self.tables.now().find(host),
            Leads::To(model, unit, port) => Some(Target {
                model: model.clone(),
                named: Named::Unit(unit.clone()),
                port: Some(*port),
            }),
        }
    }

    /// Where the request may come. A service that is about to start is waited for.
    async fn ways(&self, target: &Target, host: &str, peer: SocketAddr) -> Result<Vec<Way>, Page> {
        static TURN: AtomicUsize = AtomicUsize::new(0);
        use periapt_model::workload::service::Current::{Starting, Stopping};
        let until = Instant::now() + self.patience;
        let mut tables = self.tables.watch();
        loop {
            let turn = TURN.fetch_add(1, Ordering::Relaxed);
            let ways = tables.borrow_and_update().ways(target, peer.ip(), turn);
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
        let failed = |reason: &str| Page::failed(StatusCode::BAD_GATEWAY, unit, reason);
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
            Ok(Err(_)) => return Err(failed("the process that serves it ended")),
            Err(_) => {
                let status = StatusCode::GATEWAY_TIMEOUT;
                return Err(Page::failed(status, unit, "it takes too long"));
            }
        };
        if let Some(reason) = answer.headers().get(NOT_HERE) {
            let reason = reason.to_str().unwrap_or("it is not there");
            return Err(failed(reason));
        }
        remove_hops(answer.headers_mut());
        *answer.version_mut() = Version::HTTP_11;
        Ok(answer)
    }
}

/// Makes of what a stranger sent what is sent on.
pub fn forwarded(parts: &mut Parts, peer: SocketAddr) -> Result<(), Page> {
    let headers = &mut parts.headers;
    remove_hops(headers);
    headers.remove(EXPECT);
    headers.remove(FORWARDED);
    let ours: Vec<HeaderName> = headers
        .keys()
        .filter(|name| {
            let name = name.as_str();
            name.starts_with("x-forwarded-") || name.starts_with("periapt-") || name == "x-real-ip"
        })
        .cloned()
        .collect();
    for name in ours {
        headers.remove(name);
    }
    // In HTTP/2 it is a part of the address.
    let named = parts.uri.authority().map(|authority| authority.as_str());
    let named = match (headers.get(HOST), named) {
        (Some(named), _) => named.clone(),
        (None, Some(named)) => HeaderValue::from_str(named).map_err(|_| Page::unclear())?,
        (None, None) => return Err(Page::unclear()),
    };
    headers.insert(HOST, named.clone());
    let from = HeaderValue::from_str(&peer.ip().to_canonical().to_string());
    let from = from.map_err(|_| Page::unclear())?;
    for (name, value) in [
        ("x-forwarded-for", from),
        ("x-forwarded-host", named),
        ("x-forwarded-proto", HeaderValue::from_static("http")),
    ] {
        headers.insert(HeaderName::from_static(name), value);
    }
    match headers.len() > FIELDS {
        true => Err(Page::large()),
        false => Ok(()),
    }
}

/// Whether a client wants another protocol and nothing else. What it could do without, as `h2c`, is ignored: it
/// is answered in the one that it speaks.
pub fn upgrades(headers: &HeaderMap) -> bool {
    let named = headers.get_all(UPGRADE).iter();
    named
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|name| name.trim().eq_ignore_ascii_case("websocket"))
}

/// What is of one connection alone, and what it names so itself.
pub fn remove_hops(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // Without these a request would be for somebody else, or of another length.
        .filter(|name| *name != HOST && *name != hyper::header::CONTENT_LENGTH)
        .collect();
    for name in HOPS.into_iter().chain(named) {
        headers.remove(name);
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer: a page, or what comes from a unit.
pub struct Given {
    body: UnsyncBoxBody<Bytes, Cause>,
    under_way: Option<(Flight, OwnedSemaphorePermit)>,
}

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
    fn flying(body: Incoming, flight: Flight, room: OwnedSemaphorePermit) -> Self {
        // It is not asked for anything before the client can take it.
        flight.waits.begin();
        Self {
            under_way: Some((flight, room)),
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
        if let Some((flight, _)) = &self.under_way {
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
