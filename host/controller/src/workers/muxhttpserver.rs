//! **muxhttpserver**: a small HTTP or HTTPS server around a mux, for whoever has a page to show
//! beside the API.
//!
//! It binds the address it is given, lends the [`Mux`] that routes are added to and the
//! [`ServerInfo`] with the port it really has, and serves until it is stopped. With a resolver
//! it speaks TLS with the controller's leaf. It knows no route and no caller: what it shows is
//! public to whoever reaches its address.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use periapt_engine::{Outputs, ResultExt, SharedWorker, TaskWorker, WorkerError};
use periapt_server::authority::{LeafResolver, server_config};
use periapt_server::listener::{ListenerLimits, Serve, serve};
use periapt_server::{Metrics, Mux};
use serde_json::json;
use tokio::net::TcpListener;

#[cfg(test)]
mod tests;

/// How long running requests may take at the end.
const DRAIN: Duration = Duration::from_secs(2);

/// Where a server is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// With the port it got, when it asked for port 0.
    pub address: SocketAddr,
    pub encrypted: bool,
}

/// A server on `address`; HTTPS with a resolver, HTTP without. Lends a [`Mux`] and a
/// [`ServerInfo`]; connections are counted in `metrics`.
///
/// # Errors
/// The address cannot be bound, or the TLS settings are not usable.
pub async fn worker(
    address: SocketAddr,
    resolver: Option<LeafResolver>,
    metrics: Metrics,
) -> Result<SharedWorker, WorkerError> {
    let tls = resolver
        .as_ref()
        .map(server_config)
        .transpose()
        .while_doing("setting up TLS")?;
    let listener = TcpListener::bind(address).await.while_doing("listening")?;
    let info = ServerInfo {
        address: listener.local_addr().while_doing("listening")?,
        encrypted: tls.is_some(),
    };
    let mux = Mux::new();
    let lent = Outputs::of(mux.clone()).and(info.clone());
    Ok(TaskWorker::lending(lent, move |worker| async move {
        worker.set_report(json!({ "address": info.address.to_string(), "tls": info.encrypted }));
        let dying = worker.dying().clone();
        match tls {
            Some(tls) => serve(Serve {
                listener,
                tls,
                mux,
                dying,
                drain: DRAIN,
                limits: ListenerLimits::default(),
                metrics,
            })
            .await
            .while_doing("serving"),
            None => {
                let routes = Router::new().fallback(move |request: Request| {
                    let mux = mux.clone();
                    async move { mux.answer(request).await }
                });
                let serving = axum::serve(listener, routes)
                    .with_graceful_shutdown(async move { dying.cancelled().await });
                serving.await.while_doing("serving")
            }
        }
    }))
}
