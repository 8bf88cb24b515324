//! Connections to the processes that serve: pooled, and made by the supervisor.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use periapt_model::ModelUuid;
use tokio::net::UnixStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::Settings;
use crate::channel::Outbox;
use crate::frames::FromGate;

/// Connections that wait for a request, to one model.
const POOLED: usize = 64;
/// Of an answer, read ahead of the client at most; the head of it fits in.
const AHEAD_BYTES: usize = 64 << 10;

/// What is sent on.
pub type Sent = BoxBody<Bytes, hyper::Error>;

#[derive(Clone)]
pub struct Back {
    connector: Connector,
    client: Client<Connector, Sent>,
    room: Arc<Semaphore>,
    tunnels: Arc<Semaphore>,
}

#[derive(Clone)]
struct Connector {
    outbox: Outbox<FromGate>,
    waiting: Arc<Mutex<Waiting>>,
    patience: Duration,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    asked: HashMap<u64, oneshot::Sender<Option<OwnedFd>>>,
}

impl Back {
    /// `room` requests are under way at the same time, at most.
    pub fn new(outbox: Outbox<FromGate>, settings: &Settings, room: usize) -> Self {
        let connector = Connector {
            outbox,
            waiting: Arc::default(),
            patience: settings.patience(),
        };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            // Gone before the other side rests, so that no request meets its end.
            .pool_idle_timeout(settings.rest() / 3)
            .pool_max_idle_per_host(POOLED)
            .http1_max_buf_size(AHEAD_BYTES)
            .build(connector.clone());
        let room = room.min(Semaphore::MAX_PERMITS);
        Self {
            connector,
            client,
            room: Arc::new(Semaphore::new(room)),
            tunnels: Arc::new(Semaphore::new(room / 2)),
        }
    }

    /// A place for two connections that are joined, which last: they have half of the room at most.
    pub fn tunnel(&self) -> Option<OwnedSemaphorePermit> {
        self.tunnels.clone().try_acquire_owned().ok()
    }

    /// Room for a request and its answer, each of which has a descriptor; none where there is none in time.
    pub async fn room(&self) -> Option<OwnedSemaphorePermit> {
        let room = self.room.clone().acquire_owned();
        let room = tokio::time::timeout(self.connector.patience, room).await;
        room.ok()?.ok()
    }

    /// Sends a request to the process that serves a model, which is the host of its address.
    pub async fn send(&self, request: Request<Sent>) -> Result<Response<Incoming>, Error> {
        self.client.request(request).await
    }

    /// What the supervisor answered.
    pub fn connected(&self, number: u64, descriptor: Option<OwnedFd>) {
        let asked = self.connector.lock().asked.remove(&number);
        if let Some(asked) = asked {
            // Whoever asked may have left.
            let _ = asked.send(descriptor);
        }
    }
}

impl Connector {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(self, to: Uri) -> io::Result<TokioIo<UnixStream>> {
        let model: ModelUuid = to
            .host()
            .and_then(|host| host.parse().ok())
            .ok_or(io::ErrorKind::InvalidInput)?;
        let (asked, answer) = oneshot::channel();
        let number = {
            let mut waiting = self.lock();
            waiting.next += 1;
            let number = waiting.next;
            waiting.asked.insert(number, asked);
            number
        };
        self.outbox
            .send(&FromGate::Connect(number, model), Vec::new())
            .map_err(|_| io::ErrorKind::NotConnected)?;
        let descriptor = tokio::time::timeout(self.patience, answer).await;
        self.lock().asked.remove(&number);
        let descriptor = match descriptor {
            Ok(Ok(Some(descriptor))) => descriptor,
            Ok(_) => return Err(io::ErrorKind::ConnectionRefused.into()),
            Err(_) => return Err(io::ErrorKind::TimedOut.into()),
        };
        let stream = std::os::unix::net::UnixStream::from(descriptor);
        stream.set_nonblocking(true)?;
        Ok(TokioIo::new(UnixStream::from_std(stream)?))
    }
}

impl tower::Service<Uri> for Connector {
    type Response = TokioIo<UnixStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<UnixStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        Box::pin(self.clone().connect(to))
    }
}
