//! The gate before a unit that speaks WebSocket, with this test in the place of the supervisor.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::{SinkExt, StreamExt};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use periapt_model::reach::Network;
use periapt_model::workload::service::Current;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::uuid;
use crate::Settings;
use crate::channel::{self, Outbox};
use crate::frames::{Door, Facing, FromGate, Leads, ToGate};
use crate::gate::websocket::{Asks, asks};

const PATIENCE: Duration = Duration::from_secs(20);

struct Gate {
    outbox: Outbox<ToGate>,
    address: SocketAddr,
    /// Heads of the requests that came through, as the unit has them.
    asked: Arc<Mutex<Vec<String>>>,
}

fn network(exposed: bool) -> Network {
    let mut network = Network::default();
    let mut unit = periapt_model::reach::Unit::default();
    let all = periapt_model::reach::Endpoints::All;
    unit.openings
        .open("80/tcp".parse().unwrap(), all.clone())
        .unwrap();
    network.units.insert("docs/0".parse().unwrap(), unit);
    if exposed {
        let docs = "docs".parse().unwrap();
        network.exposures.expose(&docs, &all, std::iter::empty());
    }
    network
}

impl Gate {
    async fn new(settings: Settings, descriptors: u64) -> Self {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (inbox, outbox) = channel::open(theirs, 1 << 20, 64);
        tokio::spawn(super::super::run(inbox, outbox, descriptors));
        let (mut inbox, outbox) = channel::open::<FromGate, ToGate>(ours, 1 << 20, 64);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let gate = Self {
            outbox: outbox.clone(),
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
        };
        gate.say(ToGate::Settings(settings));
        gate.expose(true);
        let door = Door {
            port: 80,
            service: "chat".to_owned(),
            current: Current::Active,
            ready: true,
        };
        gate.say(ToGate::Doors(uuid(), "docs/0".parse().unwrap(), vec![door]));
        let listen = ToGate::Listen(1, Leads::ByName);
        outbox.send(&listen, vec![OwnedFd::from(listener)]).unwrap();
        let asked = gate.asked.clone();
        tokio::spawn(async move {
            while let Ok(Some((said, _))) = inbox.next().await {
                if let FromGate::Connect(number, _) = said {
                    let (ours, theirs) = UnixStream::pair().unwrap();
                    tokio::spawn(unit(ours, asked.clone()));
                    let theirs = OwnedFd::from(theirs.into_std().unwrap());
                    let connected = ToGate::Connected(number);
                    outbox.send(&connected, vec![theirs]).unwrap();
                }
            }
        });
        gate
    }

    fn say(&self, said: ToGate) {
        self.outbox.send(&said, Vec::new()).unwrap();
    }

    fn expose(&self, exposed: bool) {
        let facing = Facing {
            name: "demo".parse().unwrap(),
            network: network(exposed),
            traces: false,
        };
        self.say(ToGate::Model(uuid(), Some(Box::new(facing))));
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn websocket(&self, path: &str) -> Result<WebSocketStream<TcpStream>, Error> {
        let url = format!("ws://docs.demo.localhost{path}");
        let asked = tokio_tungstenite::client_async(url, self.connect().await);
        let asked = tokio::time::timeout(PATIENCE, asked).await.unwrap();
        asked.map(|(stream, _)| stream)
    }

    /// The status of the answer to this head.
    async fn status(&self, head: &str) -> String {
        let mut stream = self.connect().await;
        let request = format!("{head}Host: docs.demo.localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut text = String::new();
        let read = stream.read_to_string(&mut text);
        tokio::time::timeout(PATIENCE, read).await.unwrap().unwrap();
        text.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}

/// A unit that says back what it hears by WebSocket, and refuses, or switches to something else, where the path
/// says so.
async fn unit(stream: UnixStream, asked: Arc<Mutex<Vec<String>>>) {
    let answer = service_fn(move |request: Request<Incoming>| {
        let head = format!("{} {:?}", request.uri(), request.headers());
        asked.lock().unwrap().push(head);
        async move { Ok::<_, Infallible>(answer(request)) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    // It ends with the gate's connection.
    let _ = served.await;
}

fn answer(mut request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    let key = request.headers().get("sec-websocket-key").cloned();
    let mut response = Response::new(Full::default());
    if path == "/refuses" {
        *response.status_mut() = hyper::StatusCode::IM_A_TEAPOT;
        *response.body_mut() = Full::from("not here");
        return response;
    }
    let Some(key) = key.filter(|_| request.headers().contains_key("upgrade")) else {
        if path == "/switches" {
            *response.status_mut() = hyper::StatusCode::SWITCHING_PROTOCOLS;
        }
        return response;
    };
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        let stream = TokioIo::new(upgrade.await.unwrap());
        let mut stream = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
        while let Some(Ok(message)) = stream.next().await {
            if message.is_text() || message.is_binary() {
                stream.send(message).await.unwrap();
            }
        }
    });
    *response.status_mut() = hyper::StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    let protocol = match path.as_str() {
        "/other" => "chess",
        _ => "websocket",
    };
    headers.insert("connection", "upgrade".parse().unwrap());
    headers.insert("upgrade", protocol.parse().unwrap());
    let accept = derive_accept_key(key.as_bytes());
    headers.insert("sec-websocket-accept", accept.parse().unwrap());
    response
}

async fn echoes(stream: &mut WebSocketStream<TcpStream>, message: Message) {
    stream.send(message.clone()).await.unwrap();
    let said = tokio::time::timeout(PATIENCE, stream.next()).await.unwrap();
    assert_eq!(said.unwrap().unwrap(), message);
}

/// Reads until it is closed.
async fn until_closed(stream: &mut WebSocketStream<TcpStream>) {
    let closed = async { while let Some(Ok(_)) = stream.next().await {} };
    tokio::time::timeout(PATIENCE, closed).await.unwrap();
}

#[tokio::test]
async fn a_websocket_is_joined_with_its_unit_and_cut_with_the_exposure() {
    let gate = Gate::new(Settings::default(), 1024).await;
    let mut streams = Vec::new();
    for number in 0..3 {
        let mut stream = gate.websocket("/chat").await.unwrap();
        echoes(&mut stream, Message::text(format!("hello {number}"))).await;
        echoes(&mut stream, Message::binary(vec![number; 1 << 20])).await;
        streams.push(stream);
    }
    let head = gate.asked.lock().unwrap()[0].clone();
    for field in [
        r#""connection": "upgrade""#,
        r#""upgrade": "websocket""#,
        r#""x-forwarded-for": "127.0.0.1""#,
        r#""periapt-unit": "docs/0""#,
    ] {
        assert!(head.contains(field), "{field}: {head}");
    }
    gate.expose(true);
    echoes(&mut streams[0], Message::text("still")).await;
    gate.expose(false);
    for stream in &mut streams {
        until_closed(stream).await;
    }
    assert_eq!(gate.status("GET / HTTP/1.1\r\n").await, "404");
}

#[tokio::test]
async fn who_leaves_a_websocket_ends_both_sides() {
    let gate = Gate::new(Settings::default(), 48).await;
    // There is room for sixteen requests, and for half as many of these.
    for _ in 0..4 {
        let mut streams = Vec::new();
        for _ in 0..8 {
            streams.push(gate.websocket("/chat").await.unwrap());
        }
        let refused = gate.websocket("/chat").await.err().unwrap();
        let Error::Http(refused) = refused else {
            panic!("{refused}");
        };
        assert_eq!(refused.status(), 503);
        // The other half is there for requests.
        assert_eq!(gate.status("GET / HTTP/1.1\r\n").await, "200");
        for mut stream in streams {
            stream.close(None).await.unwrap();
            until_closed(&mut stream).await;
        }
        let begun = tokio::time::Instant::now();
        while gate.websocket("/chat").await.is_err() {
            assert!(begun.elapsed() < PATIENCE, "no place is given back");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn a_websocket_over_which_nothing_goes_is_closed() {
    let settings = Settings {
        quiet_ms: 400,
        ..Settings::default()
    };
    let gate = Gate::new(settings, 1024).await;
    let mut stream = gate.websocket("/chat").await.unwrap();
    let begun = tokio::time::Instant::now();
    while begun.elapsed() < Duration::from_millis(1200) {
        echoes(&mut stream, Message::text("here")).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    until_closed(&mut stream).await;
}

#[tokio::test]
async fn another_answer_than_a_switch_is_passed_on_as_it_is() {
    let gate = Gate::new(Settings::default(), 1024).await;
    for (path, status, body) in [("/refuses", 418, "not here"), ("/other", 502, "")] {
        let Error::Http(refused) = gate.websocket(path).await.err().unwrap() else {
            panic!("{path}");
        };
        assert_eq!(refused.status(), status, "{path}");
        let said = refused.body().clone().unwrap_or_default();
        assert!(String::from_utf8_lossy(&said).contains(body), "{path}");
    }
    // One that nobody asked for is none.
    assert_eq!(gate.status("GET /switches HTTP/1.1\r\n").await, "502");
    assert_eq!(gate.status("GET / HTTP/1.1\r\n").await, "200");
}

#[tokio::test]
async fn nothing_but_a_websocket_is_passed_on_as_another_protocol() {
    let gate = Gate::new(Settings::default(), 1024).await;
    let key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let websocket = format!("Connection: upgrade\r\nUpgrade: websocket\r\n{key}");
    for head in [
        "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nUpgrade: websocket\r\n{key}"),
        format!("GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c, websocket\r\n{key}"),
        format!("GET / HTTP/1.1\r\nUpgrade: h2c\r\n{websocket}"),
        format!("GET / HTTP/1.1\r\n{websocket}Sec-WebSocket-Key: another\r\n"),
        format!("GET / HTTP/1.1\r\n{websocket}Content-Length: 0\r\n"),
        format!("HEAD / HTTP/1.1\r\n{websocket}"),
    ] {
        assert_eq!(gate.status(&head).await, "400", "{head}");
    }
    assert!(gate.asked.lock().unwrap().is_empty());
    for head in [
        "GET / HTTP/1.1\r\nConnection: upgrade, http2-settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: TLS/1.0, chess\r\n",
        "GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n",
    ] {
        assert_eq!(gate.status(head).await, "200", "{head}");
    }
    for head in gate.asked.lock().unwrap().iter() {
        assert!(
            !head.contains("upgrade") && !head.contains("http2-settings"),
            "{head}"
        );
    }
    assert_eq!(
        gate.status("CONNECT docs.demo.localhost:80 HTTP/1.1\r\n")
            .await,
        "501"
    );
}

#[tokio::test]
async fn by_http2_no_other_protocol_is_asked_for() {
    let gate = Gate::new(Settings::default(), 1024).await;
    let stream = TokioIo::new(gate.connect().await);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), stream)
            .await
            .unwrap();
    tokio::spawn(connection);
    let request = Request::get("http://docs.demo.localhost/")
        .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
        .body(http_body_util::Empty::<Bytes>::new())
        .unwrap();
    assert_eq!(asks(&request), Asks::Nothing);
    assert_eq!(sender.send_request(request).await.unwrap().status(), 200);
}
