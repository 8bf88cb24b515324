//! Frames: one JSON object per text message, requests of a connection run side by side.
//!
//! The reader takes a request, starts it and reads on; replies go through one writer in the
//! order in which they become ready. Calls that run are bounded by not reading further; calls
//! that wait (a watcher's `Next`, a lease) are bounded apart, since a connection has thousands.
//! A silent peer is pinged and given up after three unanswered pings.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt, StreamExt};
use periapt_engine::Clock;
use periapt_engine::clock::timeout;
use periapt_model::ModelUuid;
use periapt_wire::Problem;
use periapt_wire::rpc::{self, Request, code};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::RpcError;
use super::login;
use super::session::Session;
use crate::listener::Connection;
use crate::rest::problem::Answer;
use crate::state::ServerState;

/// Calls of one connection that run at once.
const RUNNING: usize = 256;
/// Calls of one connection that wait at once.
const WAITING: usize = super::watcher::WATCHERS + 4096;
/// Bytes of one message. Charm state and its envelope fit eight times.
const MESSAGE_BYTES: usize = 16 << 20;
const PING: Duration = Duration::from_secs(30);
const UNANSWERED: u32 = 3;
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
        .route("/", get(controller))
        .route("/api", get(controller))
        .route("/model/{uuid}/api", get(model))
        .with_state(state.clone())
}

type Upgrade = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

async fn controller(
    State(state): State<ServerState>,
    connection: Option<Extension<Connection>>,
    upgrade: Upgrade,
) -> Response {
    open(state, Target::Controller, connection, upgrade)
}

async fn model(
    State(state): State<ServerState>,
    Path(text): Path<String>,
    connection: Option<Extension<Connection>>,
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
    open(state, target, connection, upgrade)
}

fn open(
    state: ServerState,
    target: Target,
    connection: Option<Extension<Connection>>,
    upgrade: Upgrade,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => {
            return Answer(
                Problem::new(
                    426,
                    "websocket-expected",
                    "This address speaks the websocket protocol",
                )
                .advice("the HTTP API is under /v1"),
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
    upgrade
        .max_message_size(MESSAGE_BYTES)
        .max_frame_size(MESSAGE_BYTES)
        .on_upgrade(move |socket| async move {
            let _counted = counted;
            let cut = connection
                .as_ref()
                .map(|connection| connection.cut.clone())
                .unwrap_or_default();
            tokio::select! {
                () = cut.cancelled() => {}
                () = Conversation::new(state, target, connection).run(socket) => {}
            }
        })
}

struct Conversation {
    state: ServerState,
    target: Target,
    peer: Option<IpAddr>,
    /// Ends with the listener.
    listener: CancellationToken,
    /// Ends the blocked calls of this connection; a child of the state's.
    closing: CancellationToken,
    session: Option<Arc<Session>>,
    running: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl Conversation {
    fn new(state: ServerState, target: Target, connection: Option<Connection>) -> Self {
        Self {
            closing: state.closing().child_token(),
            state,
            target,
            peer: connection.as_ref().map(|connection| connection.peer.ip()),
            listener: connection
                .map(|connection| connection.closing)
                .unwrap_or_default(),
            session: None,
            running: Arc::new(Semaphore::new(RUNNING)),
            waiting: Arc::new(Semaphore::new(WAITING)),
            tasks: TaskTracker::new(),
        }
    }

    async fn run(mut self, socket: WebSocket) {
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
                tracing::warn!(peer = ?self.peer, calls = self.tasks.len(), "calls still run on a connection that closes");
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
        let mut tick = self.state.clock().sleep(PING);
        let mut unanswered = 0;
        loop {
            tokio::select! {
                () = self.closing.cancelled() => return Some((close_code::AWAY, "the API server stops")),
                () = self.listener.cancelled() => return Some((close_code::AWAY, "the listener stops")),
                () = lost.cancelled() => return None,
                () = &mut tick => {
                    if unanswered >= UNANSWERED {
                        return Some((close_code::POLICY, "no sign of life"));
                    }
                    unanswered += 1;
                    tick = self.state.clock().sleep(PING);
                    // A full queue means that the writer is at work; its own bound watches it.
                    let _ = replies.try_send(Message::Ping(Default::default()));
                }
                message = stream.next() => {
                    unanswered = 0;
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            if let Err(reason) = self.take(text.as_str(), replies).await {
                                return Some((close_code::INVALID, reason));
                            }
                        }
                        Some(Ok(Message::Binary(_))) => return Some((close_code::UNSUPPORTED, "text messages only")),
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
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
        let value: Value = serde_json::from_str(text).map_err(|_| "not JSON")?;
        let value = lower_keys(value).ok_or("not an object")?;
        let id = value
            .get("request-id")
            .and_then(Value::as_u64)
            .filter(|id| *id > 0)
            .ok_or("no request-id")?;
        let request: Request = match serde_json::from_value(value) {
            Ok(request) => request,
            Err(error) => return send(replies, reply(id, Err(RpcError::bad_request(error)))).await,
        };
        let Some(session) = self.session.clone() else {
            let result = self.before_login(request).await;
            return send(replies, reply(id, result)).await;
        };
        let waits = Session::waits(&request.facade, &request.request);
        let permit = if waits {
            match self.waiting.clone().try_acquire_owned() {
                Ok(permit) => permit,
                Err(_) => {
                    let busy =
                        RpcError::new(code::TRY_AGAIN, "too many calls of this connection wait");
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
                ..
            } = request;
            let result = session
                .call(&facade, version, &request, watcher.as_deref(), params)
                .await;
            // Without a reader the writer is gone, and the connection with it.
            let _ = send(&replies, reply(id, result)).await;
            drop(permit);
        });
        Ok(())
    }

    async fn before_login(&mut self, request: Request) -> Result<Value, RpcError> {
        if let Target::Unknown(text) = &self.target {
            return Err(login::unknown_model(text));
        }
        match (request.facade.as_str(), request.request.as_str()) {
            ("Admin", "Login") if matches!(request.version, 0 | 3) => {
                let (session, reply) = login::log_in(
                    &self.state,
                    &self.target,
                    request.params,
                    self.peer,
                    self.closing.clone(),
                )
                .await?;
                tracing::info!(target: "audit", who = %session.identity(), method = "login", result = "ok", peer = ?self.peer, "login");
                self.session = Some(Arc::new(session));
                Ok(reply)
            }
            ("Admin", "RedirectInfo") => Err(RpcError::new("", "not redirected")),
            ("Admin", method) => Err(RpcError::not_implemented("Admin", request.version, method)),
            _ => Err(RpcError::new(code::UNAUTHORIZED, "not logged in")),
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
    while let Some(message) = outgoing.recv().await {
        if !matches!(
            timeout(&*clock as &dyn Clock, WRITE, sink.send(message)).await,
            Some(Ok(()))
        ) {
            break;
        }
    }
    lost.cancel();
    let _ = timeout(&*clock as &dyn Clock, WRITE, sink.close()).await;
}

/// The text of a reply: no `error` key on success, an empty `response` beside an error.
fn reply(request_id: u64, result: Result<Value, RpcError>) -> String {
    let response = match result {
        Ok(response) => rpc::Response {
            request_id,
            error: None,
            error_code: None,
            response,
        },
        Err(error) => rpc::Response {
            request_id,
            error: Some(error.message),
            error_code: Some(error.code.into_owned()).filter(|code| !code.is_empty()),
            response: Value::Object(Default::default()),
        },
    };
    serde_json::to_string(&response).unwrap_or_else(|_| {
        format!("{{\"request-id\":{request_id},\"error\":\"unprintable reply\",\"response\":{{}}}}")
    })
}

/// Keys of the envelope are matched without regard to case, as Go does.
fn lower_keys(value: Value) -> Option<Value> {
    let Value::Object(map) = value else {
        return None;
    };
    Some(Value::Object(
        map.into_iter()
            .map(|(key, value)| (key.to_ascii_lowercase(), value))
            .collect(),
    ))
}
