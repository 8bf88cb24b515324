//! The TLS port: accepts, shakes hands, and hands requests to the mux.
//!
//! Every wait on a client has a bound: the first byte and the TLS handshake, a request's head and
//! its body ([`body`]), the websocket's messages and whatever is sent to a peer that takes nothing
//! ([`meter`]). The connections have budgets ([`places`]), and so has the end: when the listener
//! dies it refuses new connections, tells those that stand to finish, waits at most the drain
//! bound and cuts the rest. It knows no route.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::ServerError;
use crate::identity::Identity;
use crate::metrics::Metrics;
use crate::mux::Mux;

mod body;
mod meter;
mod pace;
mod places;
mod plain;
#[cfg(test)]
mod tests;

pub(crate) use body::BodyError;
pub(crate) use meter::Meter;
pub use places::Budgets;
pub(crate) use places::{Crowded, Hold, network};

use meter::{Metered, Room};
use places::{Place, Places};

/// Bytes of a request's head, and of what is read of its body ahead of its handler.
const HEAD_BYTES: usize = 64 << 10;
/// A shortage of file descriptors is told at most this often.
const TOLD: Duration = Duration::from_secs(60);

/// Bounds on clients.
#[derive(Clone, Copy, Debug)]
pub struct ListenerLimits {
    pub budgets: Budgets,
    /// Time for the first byte and the TLS handshake.
    pub handshake: Duration,
    /// Time until a request's headers are there, idle time between requests included.
    pub headers: Duration,
}

impl Default for ListenerLimits {
    fn default() -> Self {
        Self {
            budgets: Budgets::default(),
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(15),
        }
    }
}

impl ListenerLimits {
    /// Those of a process that may have this many file descriptors.
    #[must_use]
    pub fn of_descriptors(limit: u64) -> Self {
        Self {
            budgets: Budgets::of_descriptors(limit),
            ..Self::default()
        }
    }
}

/// What the listener needs to serve.
pub struct Serve {
    pub listener: TcpListener,
    pub tls: Arc<rustls::ServerConfig>,
    pub mux: Mux,
    /// Cancelled to end serving.
    pub dying: CancellationToken,
    /// How long running requests may take once dying.
    pub drain: Duration,
    pub limits: ListenerLimits,
    pub metrics: Metrics,
}

/// What a request knows of its connection; in the extensions of every request.
#[derive(Clone)]
pub struct Connection {
    pub peer: SocketAddr,
    /// Cancelled when the listener begins to drain: end what has no end of its own.
    pub closing: CancellationToken,
    /// Cancelled when the drain bound is over, and when the connection makes room for another.
    pub cut: CancellationToken,
    /// Counts work that outlives its request, as a websocket does.
    pub tracker: TaskTracker,
    meter: Meter,
    place: Arc<Place>,
    request: Arc<Held>,
}

/// What one request holds of its connection.
#[derive(Default)]
struct Held {
    proven: Arc<AtomicBool>,
    hold: Mutex<Option<Hold>>,
}

impl Connection {
    /// The request comes from somebody known: its connection is theirs until it is answered, and
    /// its body may take its time.
    pub(crate) fn prove(&self, who: &Identity) -> Result<(), Crowded> {
        self.keep(self.place.request(who)?);
        self.request.proven.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The answer to the request has no end of its own.
    pub(crate) fn lasts(&self, who: &Identity) -> Result<(), Crowded> {
        // What the request holds so far is given back first, so that it does not count twice.
        self.request.take();
        self.keep(self.place.session(who)?);
        Ok(())
    }

    /// A session begins on the connection, which is theirs until the hold is dropped.
    pub(crate) fn session(&self, who: &Identity) -> Result<Hold, Crowded> {
        let hold = self.place.session(who)?;
        self.meter.known(who);
        Ok(hold)
    }

    /// Counts the bytes of the websocket on this connection.
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    fn keep(&self, hold: Hold) {
        *self.request.lock() = Some(hold);
    }
}

impl Held {
    fn take(&self) -> Option<Hold> {
        self.lock().take()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Hold>> {
        self.hold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves until `dying`, then drains. An error is one of the listening socket.
pub async fn serve(serve: Serve) -> Result<(), ServerError> {
    let Serve {
        listener,
        tls,
        mux,
        dying,
        drain,
        limits,
        metrics,
    } = serve;
    let acceptor = TlsAcceptor::from(tls);
    let (places, room) = (Places::new(limits.budgets), Room::new());
    let (closing, cut, tracker) = (
        CancellationToken::new(),
        CancellationToken::new(),
        TaskTracker::new(),
    );
    // A listener that is dropped instead of drained leaves no connection behind.
    let _cut_on_drop = cut.clone().drop_guard();
    let mut told: Option<Instant> = None;

    loop {
        let accepted = tokio::select! {
            () = dying.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if of_one_connection(&error) => continue,
            Err(error) => {
                // Out of file descriptors, most likely: an open connection ends for the next one.
                if told.is_none_or(|told| told.elapsed() >= TOLD) {
                    tracing::warn!(%error, "cannot accept connections");
                    told = Some(Instant::now());
                }
                places.make_room();
                tokio::select! {
                    () = dying.cancelled() => break,
                    () = places.changed() => {}
                    () = sleep(Duration::from_secs(1)) => {}
                }
                continue;
            }
        };
        let own_cut = cut.child_token();
        let place = loop {
            if let Some(place) = places.enter(peer.ip(), own_cut.clone()) {
                break Some(place);
            }
            tokio::select! {
                () = dying.cancelled() => break None,
                () = places.changed() => {}
            }
        };
        let Some(place) = place else { break };
        let connection = Connection {
            peer,
            closing: closing.clone(),
            cut: own_cut,
            tracker: tracker.clone(),
            meter: Meter::new(room.clone()),
            place: Arc::new(place),
            request: Arc::default(),
        };
        let (acceptor, mux) = (acceptor.clone(), mux.clone());
        let counted = metrics.connection();
        tracker.spawn(async move {
            let cut = connection.cut.clone();
            tokio::select! {
                () = cut.cancelled() => {}
                () = converse(stream, acceptor, mux, connection, limits) => {}
            }
            drop(counted);
        });
    }

    drop(listener);
    closing.cancel();
    tracker.close();
    if timeout(drain, tracker.wait()).await.is_err() {
        tracing::warn!(
            connections = tracker.len(),
            "connections cut after the drain bound"
        );
        cut.cancel();
        tracker.wait().await;
    }
    Ok(())
}

async fn converse(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    mux: Mux,
    connection: Connection,
    limits: ListenerLimits,
) {
    let closing = connection.closing.clone();
    let peer = connection.peer;
    // Replies are small and awaited; never hold them back. A socket that refuses is closing.
    let _ = stream.set_nodelay(true);
    let shaken = async {
        if plain::speaks_tls(&stream).await? {
            acceptor.accept(stream).await.map(Ok)
        } else {
            Ok(Err(stream))
        }
    };
    let shaken = tokio::select! {
        () = closing.cancelled() => return,
        shaken = timeout(limits.handshake, shaken) => shaken,
    };
    let stream = match shaken {
        Ok(Ok(Ok(stream))) => stream,
        Ok(Ok(Err(plain))) => return plain::send_on(plain, limits).await,
        Ok(Err(error)) => return tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(_) => return tracing::debug!(%peer, "TLS handshake timed out"),
    };
    let stream = Metered::new(stream, connection.meter.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let (mux, mut connection) = (mux.clone(), connection.clone());
        async move {
            let held = Arc::new(Held::default());
            connection.request = Arc::clone(&held);
            let (parts, body) = request.into_parts();
            let (body, rest) = body::lend(&parts.headers, body, Arc::clone(&held.proven));
            let mut request = Request::from_parts(parts, Body::new(body));
            request.extensions_mut().insert(connection);
            let answer = mux.answer(request).await;
            rest.read().await;
            Ok::<_, std::convert::Infallible>(answer.map(|body| until_sent(body, held.take())))
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = closing.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "connection ended");
    }
}

/// The body of an answer, which keeps what its request holds until it is sent.
fn until_sent(body: Body, hold: Option<Hold>) -> Body {
    use hyper::body::Body as _;
    match hold {
        None => body,
        // Sent with its head.
        Some(_) if body.is_end_stream() => body,
        Some(hold) => Body::new(Kept { body, _hold: hold }),
    }
}

fn of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// A body with what is kept until it is sent.
struct Kept {
    body: Body,
    _hold: Hold,
}

impl hyper::body::Body for Kept {
    type Data = bytes::Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<hyper::body::Frame<bytes::Bytes>, axum::Error>>> {
        std::pin::Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}
