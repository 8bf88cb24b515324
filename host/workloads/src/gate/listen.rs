//! Accepts connections on the listeners that the supervisor handed over.
//!
//! Where a listener leads to one port of one unit, whoever may not come there is closed before anything is read. By
//! name it is not known yet for whom a connection is, so there each request is looked at.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::back::Back;
use super::front::{Connection, Fronts};
use super::names::Target;
use super::pass::Passage;
use super::table::Tables;
use super::traced::Traces;
use crate::Settings;
use crate::frames::Leads;

/// Header fields, and bytes of the whole head.
const HEADERS: usize = 100;
const HEAD_BYTES: usize = 32 << 10;
/// Requests that one connection of HTTP/2 has under way.
const STREAMS: u32 = 64;
/// What is kept of the requests' bodies of one such connection, of one of them, and of one answer.
const CONNECTION_WINDOW: u32 = 128 << 10;
const STREAM_WINDOW: u32 = 64 << 10;
const SENT_BYTES: usize = 64 << 10;
/// After an error of accepting, which there is for want of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

pub struct Listeners {
    open: BTreeMap<u64, JoinHandle<()>>,
    fronts: Fronts,
    tables: Tables,
    back: Back,
    traces: Traces,
    settings: Arc<Settings>,
}

impl Listeners {
    pub fn new(
        (fronts, tables, back): (Fronts, Tables, Back),
        traces: Traces,
        settings: Settings,
    ) -> Self {
        Self {
            open: BTreeMap::new(),
            fronts,
            tables,
            back,
            traces,
            settings: Arc::new(settings),
        }
    }

    pub fn open(
        &mut self,
        number: u64,
        leads: Leads,
        listener: Option<std::net::TcpListener>,
    ) -> io::Result<()> {
        let missing = || io::Error::other("its descriptor did not come with it");
        let listener = listener.ok_or_else(missing)?;
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let passage = Passage {
            leads,
            tables: self.tables.clone(),
            back: self.back.clone(),
            traces: self.traces.clone(),
            patience: self.settings.patience(),
            quiet: self.settings.quiet(),
        };
        let accepting = accept(listener, number, self.fronts.clone(), Arc::new(passage));
        self.open.insert(number, tokio::spawn(accepting));
        Ok(())
    }

    /// Returns when the listener is closed.
    pub async fn close(&mut self, number: u64) {
        if let Some(task) = self.open.remove(&number) {
            task.abort();
            // It was aborted, which is no news.
            let _ = task.await;
        }
    }
}

async fn accept(listener: TcpListener, number: u64, fronts: Fronts, passage: Arc<Passage>) {
    let aim = passage.aim();
    let shows = |aim: &Target, from| passage.tables.now().shows(aim, from);
    loop {
        match listener.accept().await {
            Ok((_, peer)) if aim.as_ref().is_some_and(|aim| !shows(aim, peer.ip())) => {}
            Ok((stream, peer)) => {
                if let Some(connection) = fronts.take(peer.ip(), number) {
                    if let Some(aim) = &aim {
                        connection.aims(aim);
                    }
                    tokio::spawn(serve(stream, connection, peer, passage.clone()));
                }
            }
            Err(error) => {
                tracing::debug!(%error, "no connection is accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn serve(stream: TcpStream, connection: Connection, peer: SocketAddr, passage: Arc<Passage>) {
    // Small answers are not to wait for more.
    let _ = stream.set_nodelay(true);
    let connection = Arc::new(connection);
    let cut = connection.cut.clone();
    let answer = {
        let connection = connection.clone();
        service_fn(move |request| {
            let (connection, passage) = (connection.clone(), passage.clone());
            async move { Ok::<_, Infallible>(passage.answer(&connection, peer, request).await) }
        })
    };
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_headers(HEADERS)
        .max_buf_size(HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(STREAMS)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .initial_stream_window_size(STREAM_WINDOW)
        .max_send_buf_size(SENT_BYTES)
        .max_header_list_size(HEAD_BYTES as u32);
    // What a client does wrong is not ours to tell.
    tokio::select! {
        biased;
        () = cut.cancelled() => {}
        _ = builder.serve_connection_with_upgrades(TokioIo::new(stream), answer) => {}
    }
}
