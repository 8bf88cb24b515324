//! One socket shared by many callers: requests go out in order, answers come back in any order
//! and find their caller by `request-id`.
//!
//! A reader and a writer task own the two halves, so that a slow reader on the other side never
//! keeps answers from being taken in. When the socket goes, every waiting caller is told, and
//! every later one at once.
//!
//! A watcher's `Next` stays with the controller when its caller stops waiting: the request is
//! parked here, and the watcher's next call takes it up again. Otherwise an event already on its
//! way would be lost.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use periapt_engine::SharedClock;
use periapt_wire::CallError;
use periapt_wire::juju::pinger::Ping;
use periapt_wire::rpc::{Call, Json, Request, Response, WATCHER_FACADE, WATCHER_NEXT, json};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_util::sync::CancellationToken;

/// Requests that may wait for the socket before callers wait too.
const OUTGOING: usize = 64;

type Answer = Result<Json, CallError>;

pub(super) struct Link {
    state: Mutex<State>,
    outgoing: mpsc::Sender<Message>,
    broken: CancellationToken,
    clock: SharedClock,
    /// When something last came, in microseconds of the clock.
    heard: AtomicU64,
}

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Answer>>,
    /// `Next` calls without a caller, by watcher.
    parked: HashMap<String, oneshot::Receiver<Answer>>,
    lost: Option<String>,
}

impl Link {
    /// Takes over the socket.
    pub(super) fn start<S>(socket: WebSocketStream<S>, clock: SharedClock) -> Arc<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (sink, stream) = socket.split();
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let link = Arc::new(Self {
            state: Mutex::default(),
            outgoing,
            broken: CancellationToken::new(),
            heard: AtomicU64::new(micros(clock.monotonic())),
            clock,
        });
        tokio::spawn(read(link.clone(), stream));
        tokio::spawn(write(link.clone(), sink, queue));
        link
    }

    /// Asks for a sign of life once nothing came for `interval`; silence for as long again ends
    /// the link.
    pub(super) fn keep_alive(self: &Arc<Self>, interval: Duration) {
        let link = self.clone();
        tokio::spawn(async move {
            loop {
                let quiet = link.quiet();
                if quiet < interval {
                    tokio::select! {
                        () = link.broken.cancelled() => return,
                        () = link.clock.sleep(interval.saturating_sub(quiet)) => continue,
                    }
                }
                let ping = link.call(
                    Ping::FACADE,
                    Ping::VERSION,
                    Ping::METHOD,
                    None,
                    json(&Ping {}).ok(),
                );
                // A refusal is a sign of life as well.
                if periapt_engine::clock::timeout(&*link.clock, interval, ping)
                    .await
                    .is_none()
                {
                    link.lose(format!(
                        "no answer to a ping within {} s",
                        interval.as_secs()
                    ));
                }
                if link.broken.is_cancelled() {
                    return;
                }
            }
        });
    }

    /// For how long nothing came.
    fn quiet(&self) -> Duration {
        let heard = Duration::from_micros(self.heard.load(Ordering::Relaxed));
        self.clock.monotonic().saturating_sub(heard)
    }

    pub(super) fn broken(&self) -> CancellationToken {
        self.broken.clone()
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn call(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Answer {
        let answer = self.send(facade, version, method, id, params).await?;
        answer.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// The next event of a watcher; not lost when the caller stops waiting.
    pub(super) async fn next_event(&self, version: u32, watcher: String) -> Answer {
        let parked = self.state().parked.remove(&watcher);
        let answer = match parked {
            Some(answer) => answer,
            None => {
                self.send(
                    WATCHER_FACADE,
                    version,
                    WATCHER_NEXT,
                    Some(watcher.clone()),
                    None,
                )
                .await?
            }
        };
        let mut pending = PendingNext {
            link: self,
            watcher,
            answer: Some(answer),
        };
        pending.wait().await
    }

    /// Drops what is parked for a watcher that is being stopped.
    pub(super) fn forget_watcher(&self, watcher: &str) {
        self.state().parked.remove(watcher);
    }

    /// Ends the link: every waiting call fails, `broken` fires. The first reason stays.
    pub(super) fn lose(&self, reason: impl Into<String>) {
        let (reason, waiting) = {
            let mut state = self.state();
            let reason = state.lost.get_or_insert_with(|| reason.into()).clone();
            (reason, std::mem::take(&mut state.waiting))
        };
        self.broken.cancel();
        for (_, caller) in waiting {
            let _ = caller.send(Err(CallError::Disconnected(reason.clone())));
        }
    }

    /// Queues a request. Dropping this future before it returns leaves nothing behind.
    async fn send(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        id: Option<String>,
        params: Option<Json>,
    ) -> Result<oneshot::Receiver<Answer>, CallError> {
        let place = tokio::select! {
            biased;
            () = self.broken.cancelled() => return Err(self.gone()),
            place = self.outgoing.reserve() => place.map_err(|_| self.gone())?,
        };
        let (caller, answer) = oneshot::channel();
        let request_id = {
            let mut state = self.state();
            if state.lost.is_some() {
                drop(state);
                return Err(self.gone());
            }
            state.last_id += 1;
            let request_id = state.last_id;
            state.waiting.insert(request_id, caller);
            request_id
        };
        let request = Request {
            request_id,
            facade,
            version,
            id: id.as_deref(),
            request: method,
            params: params.as_deref(),
        };
        match serde_json::to_string(&request) {
            Ok(text) => place.send(Message::text(text)),
            Err(error) => {
                self.state().waiting.remove(&request_id);
                return Err(CallError::Unexpected(error.to_string()));
            }
        }
        Ok(answer)
    }

    /// Hands an answer to its caller. A caller that went away is not missed.
    fn deliver(&self, text: &str) -> Result<(), String> {
        let response: Response<'_> = serde_json::from_str(text)
            .map_err(|error| format!("the controller sent something that is no answer: {error}"))?;
        let caller = self.state().waiting.remove(&response.request_id);
        if let Some(caller) = caller {
            let _ = caller.send(match response.error {
                Some(message) => Err(CallError::Refused {
                    code: response.error_code.unwrap_or_default(),
                    message,
                }),
                None => Ok(response.response.unwrap_or(RawValue::NULL).to_owned()),
            });
        }
        Ok(())
    }

    fn gone(&self) -> CallError {
        let reason = self
            .state()
            .lost
            .clone()
            .unwrap_or_else(|| "closed".to_owned());
        CallError::Disconnected(reason)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A `Next` that goes back to the parking place when its caller stops waiting.
struct PendingNext<'a> {
    link: &'a Link,
    watcher: String,
    answer: Option<oneshot::Receiver<Answer>>,
}

impl PendingNext<'_> {
    async fn wait(&mut self) -> Answer {
        let Some(answer) = &mut self.answer else {
            return Err(self.link.gone());
        };
        let received = answer.await;
        self.answer = None;
        received.unwrap_or_else(|_| Err(self.link.gone()))
    }
}

impl Drop for PendingNext<'_> {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            let watcher = std::mem::take(&mut self.watcher);
            self.link.state().parked.insert(watcher, answer);
        }
    }
}

async fn read<S>(link: Arc<Link>, mut stream: SplitStream<WebSocketStream<S>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let reason = loop {
        let message = tokio::select! {
            () = link.broken.cancelled() => return,
            message = stream.next() => message,
        };
        link.heard
            .store(micros(link.clock.monotonic()), Ordering::Relaxed);
        match message {
            Some(Ok(Message::Text(text))) => {
                if let Err(reason) = link.deliver(text.as_str()) {
                    break reason;
                }
            }
            Some(Ok(Message::Close(frame))) => break closed_by_controller(frame),
            // Control frames are answered by the socket itself.
            Some(Ok(_)) => {}
            Some(Err(error)) => break error.to_string(),
            None => break "the controller closed the connection".to_owned(),
        }
    };
    link.lose(reason);
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn closed_by_controller(frame: Option<CloseFrame>) -> String {
    match frame {
        Some(frame) if !frame.reason.is_empty() => {
            format!("the controller closed the connection: {}", frame.reason)
        }
        _ => "the controller closed the connection".to_owned(),
    }
}

async fn write<S>(
    link: Arc<Link>,
    mut sink: SplitSink<WebSocketStream<S>, Message>,
    mut queue: mpsc::Receiver<Message>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let first = tokio::select! {
            () = link.broken.cancelled() => break,
            message = queue.recv() => match message {
                Some(message) => message,
                None => break,
            },
        };
        if let Err(error) = send_all(&mut sink, first, &mut queue).await {
            link.lose(failed_to_send(&error));
            return;
        }
    }
    let frame = CloseFrame {
        code: CloseCode::Normal,
        reason: "".into(),
    };
    // The other side may be gone already.
    let _ = sink.send(Message::Close(Some(frame))).await;
}

/// Sends what waits by now, in one go: what goes out together shares a record and a write.
async fn send_all<S>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    first: Message,
    queue: &mut mpsc::Receiver<Message>,
) -> Result<(), tokio_tungstenite::tungstenite::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    sink.feed(first).await?;
    for _ in 1..OUTGOING {
        let Ok(message) = queue.try_recv() else {
            break;
        };
        sink.feed(message).await?;
    }
    sink.flush().await
}

fn failed_to_send(error: &dyn Display) -> String {
    format!("cannot send to the controller: {error}")
}
