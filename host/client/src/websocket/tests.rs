use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::routing::{any, get};
use periapt_engine::FakeClock;
use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_wire::agent::life_flag::{GetLife, WatchLife};
use periapt_wire::rpc::code;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::*;
use crate::test_server::{TestServer, deserted};

const MODEL: &str = "8419cd78-4993-4c3a-928e-c646226beeee";

/// What the test's controller does with requests, one script for all connections.
#[derive(Clone)]
struct Script {
    requests: mpsc::UnboundedSender<Asked>,
    sockets: Arc<AtomicU64>,
}

/// A request, and the way to answer it; dropping the way leaves it unanswered.
struct Asked {
    request: Value,
    answer: oneshot::Sender<Reaction>,
}

enum Reaction {
    Answer(Value),
    Say(String),
    Close,
    Vanish,
}

struct Controller {
    server: TestServer,
    asked: mpsc::UnboundedReceiver<Asked>,
    sockets: Arc<AtomicU64>,
}

impl Controller {
    async fn start() -> Self {
        let (requests, asked) = mpsc::unbounded_channel();
        let sockets = Arc::new(AtomicU64::new(0));
        let script = Script {
            requests,
            sockets: sockets.clone(),
        };
        let router = Router::new()
            .route("/model/{uuid}/api", any(upgrade_model))
            .route("/api", any(upgrade_model))
            .route("/v1/models/{model}/blobs/{digest}", get(blob))
            .with_state(script);
        Self {
            server: TestServer::start(router).await,
            asked,
            sockets,
        }
    }

    fn info(&self) -> ApiInfo {
        ApiInfo {
            addresses: self.server.addresses(),
            ca_pem: self.server.ca_pem.clone(),
            model: Some(MODEL.parse().unwrap()),
            tag: format!("agent-{MODEL}").parse().unwrap(),
            password: "secret".to_owned(),
        }
    }

    async fn dial(&mut self) -> ApiConnection {
        let info = self.info();
        let dialling = tokio::spawn(dial(info));
        self.accept_login().await;
        dialling.await.unwrap().unwrap()
    }

    async fn accept_login(&mut self) {
        let login = self.next().await;
        assert_eq!(login.request["type"], "Admin");
        assert_eq!(
            login.request["params"]["auth-tag"],
            format!("agent-{MODEL}")
        );
        assert_eq!(login.request["params"]["credentials"], "secret");
        login.reply(json!({
            "controller-tag": format!("controller-{MODEL}"),
            "model-tag": format!("model-{MODEL}"),
            "server-version": "1.0.0",
        }));
    }

    async fn next(&mut self) -> Asked {
        self.asked.recv().await.unwrap()
    }
}

impl Asked {
    fn reply(self, response: Value) {
        let answer = json!({ "request-id": self.request["request-id"], "response": response });
        let _ = self.answer.send(Reaction::Answer(answer));
    }

    fn refuse(self, code: &str, message: &str) {
        let answer = json!({
            "request-id": self.request["request-id"], "error": message, "error-code": code, "response": {},
        });
        let _ = self.answer.send(Reaction::Answer(answer));
    }

    fn react(self, reaction: Reaction) {
        let _ = self.answer.send(reaction);
    }

    fn method(&self) -> &str {
        self.request["request"].as_str().unwrap()
    }
}

async fn upgrade_model(
    State(script): State<Script>,
    upgrade: WebSocketUpgrade,
) -> axum::response::Response {
    upgrade.on_upgrade(move |socket| serve(script, socket))
}

/// Answers in the order in which the test decides.
async fn serve(script: Script, mut socket: WebSocket) {
    script.sockets.fetch_add(1, Ordering::SeqCst);
    let (reactions, mut decided) = mpsc::unbounded_channel();
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    let request = serde_json::from_str(text.as_str()).unwrap();
                    let (answer, decision) = oneshot::channel();
                    let _ = script.requests.send(Asked { request, answer });
                    let reactions = reactions.clone();
                    tokio::spawn(async move {
                        if let Ok(reaction) = decision.await {
                            let _ = reactions.send(reaction);
                        }
                    });
                }
                Some(Ok(Message::Close(_))) | Some(Err(_)) | None => break,
                Some(Ok(_)) => {}
            },
            Some(reaction) = decided.recv() => match reaction {
                Reaction::Answer(answer) => socket.send(Message::text(answer.to_string())).await.unwrap(),
                Reaction::Say(text) => socket.send(Message::text(text)).await.unwrap(),
                Reaction::Close => { let _ = socket.send(Message::Close(None)).await; }
                Reaction::Vanish => break,
            }
        }
    }
    script.sockets.fetch_sub(1, Ordering::SeqCst);
}

async fn blob(
    Path((model, digest)): Path<(String, String)>,
    headers: HeaderMap,
) -> axum::response::Response {
    use axum::response::IntoResponse;
    use base64::Engine;
    let expected =
        base64::engine::general_purpose::STANDARD.encode(format!("agent-{MODEL}:secret"));
    let given = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if given != format!("Basic {expected}") || model != MODEL {
        return axum::http::StatusCode::UNAUTHORIZED.into_response();
    }
    if digest == "present" {
        return b"the bytes".into_response();
    }
    let problem = periapt_wire::Problem::new(Refusal::NotFound(Subject::Blob));
    (axum::http::StatusCode::NOT_FOUND, axum::Json(problem)).into_response()
}

fn life_of(unit: u64) -> GetLife {
    GetLife {
        entity: format!("unit-site-{unit}").parse().unwrap(),
    }
}

#[tokio::test]
async fn calls_run_at_the_same_time_and_answers_may_come_in_any_order() {
    let mut controller = Controller::start().await;
    let connection = controller.dial().await;
    let calls: Vec<_> = (0..10)
        .map(|unit| {
            let connection = connection.clone();
            tokio::spawn(async move { connection.call(&life_of(unit)).await })
        })
        .collect();
    let mut asked = HashMap::new();
    for _ in 0..10 {
        let request = controller.next().await;
        asked.insert(
            request.request["params"]["entity"]
                .as_str()
                .unwrap()
                .to_owned(),
            request,
        );
    }
    for unit in (0..10).rev() {
        let life = if unit % 2 == 0 { "alive" } else { "dying" };
        asked
            .remove(&format!("unit-site-{unit}"))
            .unwrap()
            .reply(json!(life));
    }
    for (unit, call) in calls.into_iter().enumerate() {
        let life = call.await.unwrap().unwrap().unwrap();
        assert_eq!(life.is_alive(), unit % 2 == 0, "unit {unit}");
    }
}

#[tokio::test]
async fn a_refusal_carries_its_code() {
    let mut controller = Controller::start().await;
    let connection = controller.dial().await;
    let call = tokio::spawn({
        let connection = connection.clone();
        async move { connection.call(&life_of(0)).await }
    });
    controller
        .next()
        .await
        .refuse(code::NOT_FOUND, "unit not found");
    let error = call.await.unwrap().unwrap_err();
    assert!(error.is(code::NOT_FOUND));
    assert_eq!(error.to_string(), "unit not found");
    assert!(!connection.broken().is_cancelled());
}

#[tokio::test]
async fn when_the_connection_goes_every_waiting_call_fails_and_broken_fires() {
    for reaction in [
        Reaction::Close,
        Reaction::Vanish,
        Reaction::Say("nonsense".to_owned()),
    ] {
        let mut controller = Controller::start().await;
        let connection = controller.dial().await;
        let calls: Vec<_> = (0..5)
            .map(|unit| {
                let connection = connection.clone();
                tokio::spawn(async move { connection.call(&life_of(unit)).await })
            })
            .collect();
        let mut held = Vec::new();
        for _ in 0..5 {
            held.push(controller.next().await);
        }
        held.pop().unwrap().react(reaction);
        for call in calls {
            let error = call.await.unwrap().unwrap_err();
            assert!(matches!(error, CallError::Disconnected(_)), "{error:?}");
        }
        connection.broken().cancelled().await;
        let later = connection.call(&life_of(9)).await.unwrap_err();
        assert!(matches!(later, CallError::Disconnected(_)), "{later:?}");
    }
}

#[tokio::test]
async fn a_dropped_connection_closes_the_socket() {
    let mut controller = Controller::start().await;
    let connection = controller.dial().await;
    assert_eq!(controller.sockets.load(Ordering::SeqCst), 1);
    let broken = connection.broken();
    drop(connection);
    broken.cancelled().await;
    tokio::time::timeout(Duration::from_secs(20), async {
        while controller.sockets.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn an_event_on_its_way_is_kept_when_the_caller_stops_waiting() {
    let mut controller = Controller::start().await;
    let connection = controller.dial().await;
    let watch = WatchLife {
        entity: "unit-site-0".parse().unwrap(),
    };
    let watching = tokio::spawn({
        let connection = connection.clone();
        async move { connection.watch(&watch).await }
    });
    controller
        .next()
        .await
        .reply(json!({ "watcher-id": "7", "changes": ["first"] }));
    let mut watcher = watching.await.unwrap().unwrap();
    assert_eq!(watcher.next().await.unwrap(), ["first"]);

    // Waits until the request is out, then stops waiting.
    let request = tokio::select! {
        biased;
        _ = watcher.next() => unreachable!("nothing was answered"),
        request = controller.next() => request,
    };
    assert_eq!(
        (request.method(), &request.request["id"]),
        ("Next", &json!("7"))
    );
    request.reply(json!({ "changes": ["second"] }));
    assert_eq!(watcher.next().await.unwrap(), ["second"]);

    drop(watcher);
    let stop = controller.next().await;
    assert_eq!((stop.method(), &stop.request["id"]), ("Stop", &json!("7")));
}

#[tokio::test]
async fn the_first_address_that_answers_is_used() {
    let mut controller = Controller::start().await;
    let mut info = controller.info();
    info.addresses.insert(0, deserted().await);
    let dialling = tokio::spawn(dial(info));
    controller.accept_login().await;
    dialling.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_controller_that_cannot_be_reached_is_named() {
    let controller = Controller::start().await;
    let mut info = controller.info();
    let address = deserted().await;
    info.addresses = vec![address.clone()];
    let error = dial(info.clone()).await.map(|_| ()).unwrap_err();
    assert!(
        matches!(&error, CallError::Disconnected(text) if text.contains(&address)),
        "{error:?}"
    );
    info.addresses = Vec::new();
    let error = dial(info).await.map(|_| ()).unwrap_err();
    assert!(error.is("address-missing"), "{error:?}");
}

#[tokio::test]
async fn another_authority_is_not_trusted() {
    let controller = Controller::start().await;
    let stranger = Controller::start().await;
    let mut info = controller.info();
    info.ca_pem = stranger.server.ca_pem.clone();
    let error = dial(info).await.map(|_| ()).unwrap_err();
    assert!(
        matches!(&error, CallError::Disconnected(text) if text.contains("certificate")),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_refused_login_is_a_refusal_and_another_model_is_unexpected() {
    let mut controller = Controller::start().await;
    let dialling = tokio::spawn(dial(controller.info()));
    controller
        .next()
        .await
        .refuse(code::UNAUTHORIZED, "invalid entity name or password");
    let error = dialling.await.unwrap().map(|_| ()).unwrap_err();
    assert!(error.is(code::UNAUTHORIZED), "{error:?}");

    let mut info = controller.info();
    info.model = None;
    let dialling = tokio::spawn(dial(info));
    controller.accept_login().await;
    let error = dialling.await.unwrap().map(|_| ()).unwrap_err();
    assert!(matches!(error, CallError::Unexpected(_)), "{error:?}");
}

#[tokio::test]
async fn blobs_come_over_https_under_the_same_credential() {
    let mut controller = Controller::start().await;
    let connection = controller.dial().await;
    assert_eq!(connection.blob("present").await.unwrap(), "the bytes");
    let error = connection.blob("absent").await.unwrap_err();
    assert!(error.is("blob-not-found"), "{error:?}");
}

#[tokio::test]
async fn a_quiet_connection_is_pinged_and_a_silent_one_given_up() {
    let mut controller = Controller::start().await;
    let clock = Arc::new(FakeClock::new());
    let dialling = tokio::spawn(dial_with(controller.info(), clock.clone()));
    controller.accept_login().await;
    let connection = dialling.await.unwrap().unwrap();
    let broken = connection.broken();

    clock.wait_sleepers(1).await;
    clock.advance(PING);
    let ping = controller.next().await;
    assert_eq!(ping.request["type"], "Pinger");
    ping.reply(json!({}));
    // A call of ours behind the ping: once it is answered, so is the ping.
    let call = tokio::spawn({
        let connection = connection.clone();
        async move { connection.call(&life_of(0)).await }
    });
    controller.next().await.reply(json!("alive"));
    call.await.unwrap().unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }

    clock.wait_sleepers(1).await;
    clock.advance(PING);
    let _unanswered = controller.next().await;
    assert!(!broken.is_cancelled());
    clock.wait_sleepers(1).await;
    clock.advance(PING);
    broken.cancelled().await;
    let error = connection.call(&life_of(0)).await.unwrap_err();
    assert!(error.to_string().contains("no answer to a ping"), "{error}");
}

#[test]
fn a_password_is_not_shown() {
    let info = ApiInfo {
        addresses: Vec::new(),
        ca_pem: String::new(),
        model: None,
        tag: "user-admin".parse().unwrap(),
        password: "hidden-word".to_owned(),
    };
    assert!(!format!("{info:?}").contains("hidden-word"));
}
