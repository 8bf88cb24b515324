//! The TLS port: accepts, shakes hands, and hands requests to the mux.
//!
//! Every wait on a client has a bound (handshake, headers), the number of connections has one,
//! and so has the end: when the listener dies it refuses new connections, tells those that
//! stand to finish, waits at most the drain bound and cuts the rest. It knows no route.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::ServerError;
use crate::metrics::Metrics;
use crate::mux::Mux;

mod rest;
#[cfg(test)]
mod tests;

/// Bounds on clients.
#[derive(Clone, Copy, Debug)]
pub struct ListenerLimits {
    /// Connections at once; further ones wait to be accepted.
    pub connections: usize,
    /// Time for the TLS handshake.
    pub handshake: Duration,
    /// Time until a request's headers are there, idle time between requests included.
    pub headers: Duration,
}

impl Default for ListenerLimits {
    fn default() -> Self {
        Self {
            connections: 4096,
            handshake: Duration::from_secs(10),
            headers: Duration::from_secs(15),
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
    /// Cancelled when the drain bound is over.
    pub cut: CancellationToken,
    /// Counts work that outlives its request, as a websocket does.
    pub tracker: TaskTracker,
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
    let room = Arc::new(Semaphore::new(limits.connections));
    let (closing, cut, tracker) = (
        CancellationToken::new(),
        CancellationToken::new(),
        TaskTracker::new(),
    );
    // A listener that is dropped instead of drained leaves no connection behind.
    let _cut_on_drop = cut.clone().drop_guard();

    loop {
        let permit = tokio::select! {
            () = dying.cancelled() => break,
            permit = room.clone().acquire_owned() => permit,
        };
        let accepted = tokio::select! {
            () = dying.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if of_one_connection(&error) => continue,
            Err(error) => {
                // Out of file descriptors, most likely: others have to end first.
                tracing::warn!(%error, "cannot accept connections");
                sleep(Duration::from_millis(200)).await;
                continue;
            }
        };
        let connection = Connection {
            peer,
            closing: closing.clone(),
            cut: cut.clone(),
            tracker: tracker.clone(),
        };
        let (acceptor, mux) = (acceptor.clone(), mux.clone());
        let counted = metrics.connection();
        tracker.spawn(async move {
            let cut = connection.cut.clone();
            tokio::select! {
                () = cut.cancelled() => {}
                () = converse(stream, acceptor, mux, connection, limits) => {}
            }
            drop((permit, counted));
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
    let shaken = tokio::select! {
        () = closing.cancelled() => return,
        shaken = timeout(limits.handshake, acceptor.accept(stream)) => shaken,
    };
    let stream = match shaken {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(_) => return tracing::debug!(%peer, "TLS handshake timed out"),
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let (mux, connection) = (mux.clone(), connection.clone());
        async move {
            let (parts, body) = request.into_parts();
            let (body, rest) = rest::lend(&parts.headers, body);
            let mut request = Request::from_parts(parts, Body::new(body));
            request.extensions_mut().insert(connection);
            let answer = mux.answer(request).await;
            rest.read().await;
            Ok::<_, std::convert::Infallible>(answer)
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.headers)
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

fn of_one_connection(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}
