//! Frames: one JSON object per text message, requests of a connection run side by side.
//!
//! The reader takes a request, starts it and reads on; replies go through one writer in the
//! order in which they become ready. Calls that run are bounded by not reading further; calls
//! that wait (a watcher's `Next`, a lease) are bounded apart, since a connection has thousands.
//! A silent peer is pinged and given up after two unanswered pings. Whoever does not log in
//! soon is given up too; until then the socket beneath takes few bytes, and of those nothing is
//! kept but a login.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, OriginalUri, Path, State};
use axum::http::HeaderMap;
use axum::http::header::UPGRADE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use periapt_engine::Clock;
use periapt_engine::clock::timeout;
use periapt_model::bounds::{AGENT_MESSAGE_BYTES, MESSAGE_VALUES};
use periapt_model::{ModelUuid, Refusal};
use periapt_wire::Problem;
use periapt_wire::rpc::{self, Empty, Json};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::RpcError;
use super::frame::{self, Frame, Request};
use super::login;
use super::session::Session;
use crate::authenticator::Caller;
use crate::listener::{Connection, Hold};
use crate::rest::problem::Answer;
use crate::state::ServerState;
use crate::ui;

/// Calls of one connection that run at once.
const RUNNING: usize = 256;
/// Calls of one connection that wait at once.
const WAITING: usize = super::watcher::WATCHERS + 4096;
/// Values in the calls of one connection that run at once.
const VALUES: usize = 4 * MESSAGE_VALUES.length();
/// Bytes read at once; the library fills this much of its memory for each connection.
const READ_BYTES: usize = 16 << 10;
/// Time to log in.
const LOGIN: Duration = Duration::from_secs(10);
/// A peer that said nothing for so long is pinged: later than our own agents ask for a sign of life
/// themselves, so that one of the two does.
const QUIET: Duration = Duration::from_secs(20);
/// Between two pings that are not answered.
const PING: Duration = Duration::from_secs(12);
const UNANSWERED: u32 = 2;
/// Replies that go out in one go at most.
const TOGETHER: usize = 64;
/// A peer that takes nothing for this long is gone.
const WRITE: Duration = Duration::from_secs(60);
/// Running calls of a closing connection have this long.
const FINISH: Duration = Duration::from_secs(30);

/// What a connection is about.
#[derive(Clone, Debug)]
pub enum Target {
    Controller,
    Model(ModelUuid),
    /// A model that does not exist: the socket opens and every request says so.
    Unknown(String),
}

/// The websocket routes. Login happens inside, so none of them asks for a credential.
pub fn router(state: &ServerState) -> Router {
    Router::new()
        .route("/", get(front_door))
        .route("/api", get(controller))
        .route("/model/{uuid}/api", get(model))
        .with_state(state.clone())
}

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

/// The websocket for a client, the page for a browser.
async fn front_door(
    State(state): State<ServerState>,
    connection: Option<Extension<Connection>>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    upgrade: Upgrade,
) -> Response {
    if upgrade.is_err() && !headers.contains_key(UPGRADE) {
        return ui::answer(uri.path(), &headers);
    }
    open(state, Target::Controller, connection, caller, upgrade)
}

async fn controller(
    State(state): State<ServerState>,
    connection: Option<Extension<Connection>>,
    caller: Caller,
    upgrade: Upgrade,
) -> Response {
    open(state, Target::Controller, connection, caller, upgrade)
}

async fn model(
    State(state): State<ServerState>,
    Path(text): Path<String>,
    connection: Option<Extension<Connection>>,
    caller: Caller,
    upgrade: Upgrade,
) -> Response {
    let known = match text.parse::<ModelUuid>() {
        Ok(uuid) => match state.store().get_model(&uuid).await {
            Ok(found) => found.map(|_| uuid),
            Err(error) => return Answer::from(error).into_response(),
        },
        Err(_) => None,
    };
    let target = known.map_or(Target::Unknown(text), Target::Model);
    open(state, target, connection, caller, upgrade)
}

fn open(
    state: ServerState,
    target: Target,
    connection: Option<Extension<Connection>>,
    caller: Caller,
    upgrade: Upgrade,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => {
            return Answer(
                Problem::new(Refusal::WebsocketExpected)
                    .titled("This address speaks the websocket protocol"),
            )
            .into_response();
        }
    };
    let connection = connection.map(|Extension(connection)| connection);
    // Taken before the upgrade, so that a drain that begins in between waits for this one.
    let counted = (
        state.tracker().token(),
        connection
            .as_ref()
            .map(|connection| connection.tracker.token()),
    );
    // Who may send how much of that is the socket's to know.
    upgrade
        .read_buffer_size(READ_BYTES)
        .max_message_size(AGENT_MESSAGE_BYTES.length())
        .max_frame_size(AGENT_MESSAGE_BYTES.length())
        .on_upgrade(move |socket| async move {
            let _counted = counted;
            let cut = connection
                .as_ref()
                .map(|connection| connection.cut.clone())
                .unwrap_or_default();
            tokio::select! {
                () = cut.cancelled() => {}
                () = Conversation::new(state, target, connection, caller).run(socket) => {}
            }
        })
}

struct Conversation {
    state: ServerState,
    target: Target,
    /// None within tests that have no listener.
    connection: Option<Connection>,
    caller: Caller,
    /// Ends the blocked calls of this connection; a child of the state's.
    closing: CancellationToken,
    session: Option<Arc<Session>>,
    /// The connection's place, given back with the conversation.
    _hold: Option<Hold>,
    running: Arc<Semaphore>,
    values: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl Conversation {
    fn new(
        state: ServerState,
        target: Target,
        connection: Option<Connection>,
        caller: Caller,
    ) -> Self {
        Self {
            closing: state.closing().child_token(),
            state,
            target,
            connection,
            caller,
            session: None,
            _hold: None,
            running: Arc::new(Semaphore::new(RUNNING)),
            values: Arc::new(Semaphore::new(VALUES)),
            waiting: Arc::new(Semaphore::new(WAITING)),
            tasks: TaskTracker::new(),
        }
    }

    async fn run(mut self, socket: WebSocket) {
        if let Some(connection) = &self.connection {
            connection.meter().begin();
        }
        let (sink, stream) = socket.split();
        let (replies, outgoing) = mpsc::channel(RUNNING);
        let lost = CancellationToken::new();
        let writer = write(sink, outgoing, self.state.clock().clone(), lost.clone());
        let closing = self.closing.clone();
        let clock = self.state.clock().clone();
        let reader = async move {
            let reason = self.read(stream, &replies, &lost).await;
            self.closing.cancel();
            self.tasks.close();
            let finished = timeout(&*clock as &dyn Clock, FINISH, self.tasks.wait()).await;
            if finished.is_none() {
                tracing::warn!(peer = ?self.caller.peer, calls = self.tasks.len(), "calls still run on a connection that closes");
            }
            if let Some((code, reason)) = reason {
                // The peer may be gone by now.
                let _ = replies
                    .send(Message::Close(Some(CloseFrame {
                        code,
                        reason: reason.into(),
                    })))
                    .await;
            }
        };
        futures::future::join(writer, reader).await;
        closing.cancel();
    }

    /// Reads until the end; what to tell the peer about it, if it still listens.
    async fn read(
        &mut self,
        mut stream: SplitStream<WebSocket>,
        replies: &mpsc::Sender<Message>,
        lost: &CancellationToken,
    ) -> Option<(u16, &'static str)> {
        let clock = self.state.clock().clone();
        let mut heard = clock.monotonic();
        let mut tick = clock.sleep(QUIET);
        let mut login = self.state.clock().sleep(LOGIN);
        let mut unanswered = 0;
        let listener = self
            .connection
            .as_ref()
            .map(|connection| connection.closing.clone());
        let listener = listener.unwrap_or_default();
        loop {
            tokio::select! {
                () = self.closing.cancelled() => return Some((close_code::AWAY, "the API server stops")),
                () = listener.cancelled() => return Some((close_code::AWAY, "the listener stops")),
                () = lost.cancelled() => return None,
                () = &mut login, if self.session.is_none() => {
                    return Some((close_code::POLICY, "nobody logged in"));
                }
                () = &mut tick => {
                    let quiet = clock.monotonic().saturating_sub(heard);
                    if quiet < QUIET {
                        tick = clock.sleep(QUIET.saturating_sub(quiet));
                        continue;
                    }
                    if unanswered >= UNANSWERED {
                        return Some((close_code::POLICY, "no sign of life"));
                    }
                    unanswered += 1;
                    tick = clock.sleep(PING);
                    // A full queue means that the writer is at work; its own bound watches it.
                    let _ = replies.try_send(Message::Ping(Default::default()));
                }
                message = stream.next() => {
                    (heard, unanswered) = (clock.monotonic(), 0);
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            if let Err(reason) = self.take(text.as_str(), replies).await {
                                return Some((close_code::INVALID, reason));
                            }
                        }
                        Some(Ok(Message::Binary(_))) => return Some((close_code::UNSUPPORTED, "text messages only")),
                        Some(Ok(Message::Ping(data) | Message::Pong(data))) => {
                            if let Some(connection) = &self.connection {
                                connection.meter().controlled(data.len());
                            }
                        }
                        Some(Ok(Message::Close(_))) => return Some((close_code::NORMAL, "")),
                        Some(Err(_)) | None => return None,
                    }
                }
            }
        }
    }

    /// Starts one request. An error ends the connection: there is no id to answer to.
    async fn take(
        &mut self,
        text: &str,
        replies: &mpsc::Sender<Message>,
    ) -> Result<(), &'static str> {
        let Some(session) = self.session.clone() else {
            let Frame { id, request, .. } = frame::head(text)?;
            let result = match request {
                Ok(request) => self.before_login(request, text).await,
                Err(error) => Err(error),
            };
            return send(replies, reply(id, result)).await;
        };
        // Kept until the call is done, as long as what it was made of is in memory.
        let room = self
            .connection
            .as_ref()
            .and_then(|connection| connection.meter().finished());
        let Frame {
            id,
            request,
            values,
        } = frame::read(text)?;
        let request = match request {
            Ok(request) => request,
            Err(error) => return send(replies, reply(id, Err(error))).await,
        };
        let waits = Session::waits(&request.facade, request.version, &request.request);
        let values = u32::try_from(values).unwrap_or(u32::MAX);
        let values = self.values.clone().acquire_many_owned(values);
        let values = values.await.map_err(|_| "closed")?;
        let permit = if waits {
            match self.waiting.clone().try_acquire_owned() {
                Ok(permit) => permit,
                Err(_) => {
                    let busy =
                        RpcError::new(Refusal::TryAgain, "too many calls of this connection wait");
                    return send(replies, reply(id, Err(busy))).await;
                }
            }
        } else {
            self.running
                .clone()
                .acquire_owned()
                .await
                .map_err(|_| "closed")?
        };
        let replies = replies.clone();
        self.tasks.spawn(async move {
            let Request {
                facade,
                version,
                id: watcher,
                request,
                params,
            } = request;
            let result = session
                .call(
                    &facade,
                    version,
                    &request,
                    watcher.as_deref(),
                    params.as_deref(),
                )
                .await;
            // Without a reader the writer is gone, and the connection with it.
            let _ = send(&replies, reply(id, result)).await;
            drop((permit, values, room));
        });
        Ok(())
    }

    async fn before_login(&mut self, request: Request, text: &str) -> Result<Json, RpcError> {
        if let Target::Unknown(text) = &self.target {
            return Err(login::unknown_model(text));
        }
        match (request.facade.as_str(), request.request.as_str()) {
            ("Admin", "Login") if matches!(request.version, 0 | 3) => {
                let (session, reply) = login::log_in(
                    &self.state,
                    &self.target,
                    frame::login(text)?,
                    &self.caller,
                    self.closing.clone(),
                )
                .await?;
                if let Some(connection) = &self.connection {
                    let hold = connection.session(session.identity());
                    self._hold = Some(hold.map_err(RpcError::crowded)?);
                }
                tracing::info!(target: "audit", who = %session.identity(), method = "login", result = "ok", peer = ?self.caller.peer, "login");
                self.session = Some(Arc::new(session));
                Ok(reply)
            }
            ("Admin", "RedirectInfo") => {
                Err(RpcError::new(Refusal::NotRedirected, "not redirected"))
            }
            ("Admin", method) => Err(RpcError::not_implemented("Admin", request.version, method)),
            _ => Err(RpcError::new(Refusal::Unauthorized, "not logged in")),
        }
    }
}

async fn send(replies: &mpsc::Sender<Message>, text: String) -> Result<(), &'static str> {
    replies
        .send(Message::text(text))
        .await
        .map_err(|_| "closed")
}

async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut outgoing: mpsc::Receiver<Message>,
    clock: periapt_engine::SharedClock,
    lost: CancellationToken,
) {
    while let Some(first) = outgoing.recv().await {
        let sent = send_all(&mut sink, first, &mut outgoing);
        let sent = timeout(&*clock as &dyn Clock, WRITE, sent).await;
        if !matches!(sent, Some(Ok(()))) {
            break;
        }
    }
    lost.cancel();
    let _ = timeout(&*clock as &dyn Clock, WRITE, sink.close()).await;
}

/// Sends what waits by now, in one go: what goes out together shares a record and a write.
async fn send_all(
    sink: &mut SplitSink<WebSocket, Message>,
    first: Message,
    outgoing: &mut mpsc::Receiver<Message>,
) -> Result<(), axum::Error> {
    sink.feed(first).await?;
    for _ in 1..TOGETHER {
        let Ok(message) = outgoing.try_recv() else {
            break;
        };
        sink.feed(message).await?;
    }
    sink.flush().await
}

/// The text of a reply: no `error` key on success, an empty `response` beside an error.
fn reply(request_id: u64, result: Result<Json, RpcError>) -> String {
    let (response, failure) = match result {
        Ok(response) => (Some(response), None),
        Err(error) => (rpc::json(&Empty {}).ok(), Some(error)),
    };
    let (error, code) = failure
        .map(|failure| (failure.message, failure.refusal.call_code().to_owned()))
        .unzip();
    let response = rpc::Response {
        request_id,
        error,
        error_code: code.filter(|code| !code.is_empty()),
        response: response.as_deref(),
    };
    serde_json::to_string(&response).unwrap_or_else(|_| {
        format!("{{\"request-id\":{request_id},\"error\":\"unprintable reply\",\"response\":{{}}}}")
    })
}
