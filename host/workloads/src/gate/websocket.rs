//! Connections of WebSocket. A request for one is passed on like any other, and where it is granted the two
//! connections are joined; what goes over them is not read here.
//!
//! Nothing but such a request is passed on as one for another protocol: who reads a request otherwise than
//! the gate could be made to answer one that the gate has not seen.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, TRANSFER_ENCODING, UPGRADE,
};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper::{Method, Request, Response, StatusCode, Version};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional};
use tokio::sync::OwnedSemaphorePermit;

use super::fields::remove_hops;
use super::front::{Connection, Flight};
use super::pass::Given;
use super::waits::Waits;

const PROTOCOL: &str = "websocket";

/// What a request says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// It is for no other protocol, or for one that its client can do without: it is answered in the one that
    /// it speaks.
    Nothing,
    Well,
    /// It is for this one and another, or lacks something, or has more than a head.
    Badly,
}

pub fn asks(request: &Request<impl Body>) -> Asks {
    let headers = request.headers();
    let named = words(headers, &UPGRADE);
    if request.version() != Version::HTTP_11 || !named.iter().any(|name| is(name, PROTOCOL)) {
        return Asks::Nothing;
    }
    let switches = words(headers, &CONNECTION);
    let switches = switches.iter().any(|name| is(name, "upgrade"));
    let once = |name| headers.get_all(name).iter().count() == 1;
    let alone = request.body().is_end_stream()
        && !headers.contains_key(CONTENT_LENGTH)
        && !headers.contains_key(TRANSFER_ENCODING);
    let well = request.method() == Method::GET
        && named.len() == 1
        && switches
        && alone
        && once(SEC_WEBSOCKET_KEY)
        && once(SEC_WEBSOCKET_VERSION);
    match well {
        true => Asks::Well,
        false => Asks::Badly,
    }
}

/// What a field lists. What is no text is a word as well, and none that is known.
fn words<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let values = headers.get_all(name).iter();
    let values = values.flat_map(|value| value.to_str().unwrap_or("?").split(','));
    values.map(str::trim).collect()
}

fn is(name: &str, known: &str) -> bool {
    name.eq_ignore_ascii_case(known)
}

/// Says so for this connection, which is another than the one on which it was said.
pub fn ask(headers: &mut HeaderMap) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static(PROTOCOL));
}

/// Whether what was asked for with these fields is granted by this answer.
pub fn grants(asked: &HeaderMap, answer: &Response<Incoming>) -> bool {
    let protocol = words(answer.headers(), &UPGRADE);
    answer.status() == StatusCode::SWITCHING_PROTOCOLS
        && asked.contains_key(UPGRADE)
        && protocol.len() == 1
        && protocol.iter().all(|name| is(name, PROTOCOL))
}

/// A client's connection and a unit's. It is under way, and may be cut, as long as this is.
pub struct Joined {
    pub connection: Arc<Connection>,
    pub _under_way: (Flight, OwnedSemaphorePermit, OwnedSemaphorePermit),
    pub patience: Duration,
    pub quiet: Duration,
}

impl Joined {
    /// Joins them once the client has this answer.
    pub fn begin(self, client: OnUpgrade, mut granted: Response<Incoming>) -> Response<Given> {
        let unit = hyper::upgrade::on(&mut granted);
        remove_hops(granted.headers_mut());
        ask(granted.headers_mut());
        tokio::spawn(async move {
            let cut = self.connection.cut.clone();
            tokio::select! {
                () = cut.cancelled() => {}
                () = self.run(client, unit) => {}
            }
        });
        granted.map(|_| Given::boxed(Empty::<Bytes>::new()))
    }

    async fn run(&self, client: OnUpgrade, unit: OnUpgrade) {
        let both = async { tokio::try_join!(client, unit) };
        // One of them left meanwhile.
        let Ok(Ok((client, unit))) = tokio::time::timeout(self.patience, both).await else {
            return;
        };
        let heard = Waits::default();
        heard.begin();
        let (mut client, mut unit) = (Side::of(client, &heard), Side::of(unit, &heard));
        tokio::select! {
            // How it ends is theirs to know.
            _ = copy_bidirectional(&mut client, &mut unit) => {}
            () = heard.nothing(self.quiet) => {}
        }
    }
}

/// One of the two, of which it is known when something came from it.
struct Side {
    stream: TokioIo<Upgraded>,
    heard: Waits,
}

impl Side {
    fn of(stream: Upgraded, heard: &Waits) -> Self {
        Self {
            stream: TokioIo::new(stream),
            heard: heard.clone(),
        }
    }
}

impl AsyncRead for Side {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        self.heard.begin();
        Poll::Ready(read)
    }
}

impl AsyncWrite for Side {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
