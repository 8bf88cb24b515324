use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Notify;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::*;
use crate::authority::{self, Authority, LeafResolver};

struct House {
    address: SocketAddr,
    authority: Authority,
    dying: CancellationToken,
    served: tokio::task::JoinHandle<Result<(), ServerError>>,
    mux: Mux,
}

async fn house(limits: ListenerLimits, drain: Duration) -> House {
    let authority = Authority::generate("home").unwrap();
    let resolver = LeafResolver::new(
        authority.clone(),
        &[],
        periapt_engine::SystemClock::shared(),
    )
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (dying, mux) = (CancellationToken::new(), Mux::new());
    let tls = authority::server_config(&resolver).unwrap();
    let served = tokio::spawn(serve(Serve {
        metrics: crate::Metrics::new(periapt_engine::SystemClock::shared()),
        listener,
        tls,
        mux: mux.clone(),
        dying: dying.clone(),
        drain,
        limits,
    }));
    House {
        address,
        authority,
        dying,
        served,
        mux,
    }
}

impl House {
    async fn connect(&self) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in rustls_pemfile::certs(&mut self.authority.ca_pem().as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let config = rustls::ClientConfig::builder_with_provider(Arc::new(
            rustls::crypto::ring::default_provider(),
        ))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
        let stream = TcpStream::connect(self.address).await?;
        TlsConnector::from(Arc::new(config))
            .connect("juju-apiserver".try_into().unwrap(), stream)
            .await
    }

    async fn ask(&self, path: &str) -> std::io::Result<String> {
        let mut stream = self.connect().await?;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: juju-apiserver\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

#[tokio::test]
async fn a_running_request_finishes_while_new_connections_are_refused() {
    let house = house(ListenerLimits::default(), Duration::from_secs(30)).await;
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let router = {
        let (entered, release) = (entered.clone(), release.clone());
        Router::new().route(
            "/slow",
            get(move || async move {
                entered.notify_one();
                release.notified().await;
                "done"
            }),
        )
    };
    let _guard = house.mux.add("/", router).unwrap();
    let House { address, .. } = house;
    let dying = house.dying.clone();
    let asking = async { house.ask("/slow").await.unwrap() };
    let ending = async {
        entered.notified().await;
        dying.cancel();
        // The listening socket is dropped by the task of the server; a connection that still
        // gets into its backlog is reset.
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
        release.notify_one();
    };
    let (answer, ()) = tokio::join!(asking, ending);
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.ends_with("done"),
        "{answer}"
    );
    house.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_does_not_end_is_cut_after_the_drain_bound() {
    let house = house(ListenerLimits::default(), Duration::from_millis(100)).await;
    let entered = Arc::new(Notify::new());
    let router = {
        let entered = entered.clone();
        Router::new().route(
            "/never",
            get(move || async move {
                entered.notify_one();
                std::future::pending::<()>().await;
            }),
        )
    };
    let _guard = house.mux.add("/", router).unwrap();
    let dying = house.dying.clone();
    let (answer, ()) = tokio::join!(house.ask("/never"), async {
        entered.notified().await;
        dying.cancel();
    });
    assert!(answer.map_or(true, |answer| answer.is_empty()));
    house.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn routes_may_be_absent_while_the_port_stays_open() {
    let house = house(ListenerLimits::default(), Duration::from_secs(5)).await;
    assert!(house.ask("/x").await.unwrap().starts_with("HTTP/1.1 503"));
    let guard = house
        .mux
        .add("/", Router::new().route("/x", get(|| async { "here" })))
        .unwrap();
    assert!(house.ask("/x").await.unwrap().starts_with("HTTP/1.1 200"));
    drop(guard);
    assert!(house.ask("/x").await.unwrap().starts_with("HTTP/1.1 503"));
    house.dying.cancel();
    house.served.await.unwrap().unwrap();
}

/// A handler that refuses at sight, and says when it did.
fn refusing() -> (Router, Arc<Notify>) {
    let refused = Arc::new(Notify::new());
    let says = refused.clone();
    let router = Router::new().route(
        "/no",
        axum::routing::post(move || async move {
            says.notify_one();
            (axum::http::StatusCode::FORBIDDEN, "no")
        }),
    );
    (router, refused)
}

async fn answer_of(stream: &mut TlsStream<TcpStream>) -> String {
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nno") {
        let mut part = [0; 1024];
        match stream.read(&mut part).await.unwrap() {
            0 => break,
            read => answer.extend_from_slice(&part[..read]),
        }
    }
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn a_refusal_reaches_a_client_whose_body_comes_late() {
    let house = house(ListenerLimits::default(), Duration::from_secs(5)).await;
    let (router, refused) = refusing();
    let _guard = house.mux.add("/", router).unwrap();
    let mut stream = house.connect().await.unwrap();
    // And so does the next one on the same connection.
    for _ in 0..2 {
        let head = b"POST /no HTTP/1.1\r\nHost: juju-apiserver\r\nContent-Length: 4\r\n\r\n";
        stream.write_all(head).await.unwrap();
        refused.notified().await;
        for part in [b"la", b"te"] {
            stream.write_all(part).await.unwrap();
            stream.flush().await.unwrap();
        }
        let answer = answer_of(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert!(!answer.contains("connection: close"), "{answer}");
    }
    drop(stream);
    house.dying.cancel();
    house.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn no_one_is_asked_for_a_body_that_is_refused() {
    let house = house(ListenerLimits::default(), Duration::from_secs(5)).await;
    let (router, _) = refusing();
    let _guard = house.mux.add("/", router).unwrap();
    for head in [
        // Waits to be asked.
        "Content-Length: 4\r\nExpect: 100-continue",
        // Says that it is too much.
        "Content-Length: 100000000",
    ] {
        let mut stream = house.connect().await.unwrap();
        let head = format!("POST /no HTTP/1.1\r\nHost: juju-apiserver\r\n{head}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = answer_of(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
    }
    house.dying.cancel();
    house.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn clients_that_say_nothing_are_let_go() {
    let limits = ListenerLimits {
        handshake: Duration::from_millis(50),
        headers: Duration::from_millis(50),
        ..ListenerLimits::default()
    };
    let house = house(limits, Duration::from_secs(5)).await;
    // One says nothing at all, one does not shake hands, one sends no request.
    let mut mute = TcpStream::connect(house.address).await.unwrap();
    assert_eq!(mute.read(&mut [0; 16]).await.unwrap_or(0), 0);
    let mut half = TcpStream::connect(house.address).await.unwrap();
    half.write_all(&[0x16, 3, 1]).await.unwrap();
    assert_eq!(half.read(&mut [0; 16]).await.unwrap_or(0), 0);
    let mut plain = TcpStream::connect(house.address).await.unwrap();
    plain.write_all(b"GET / HT").await.unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest).await;
    let mut idle = house.connect().await.unwrap();
    let _ = idle.read_to_end(&mut rest).await;
    assert!(house.ask("/").await.unwrap().starts_with("HTTP/1.1 503"));
    house.dying.cancel();
    house.served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_newcomer_is_served_while_others_say_nothing() {
    let limits = ListenerLimits {
        budgets: Budgets::of(32),
        ..ListenerLimits::default()
    };
    let house = house(limits, Duration::from_secs(5)).await;
    let mut mute = Vec::new();
    for _ in 0..40 {
        mute.push(TcpStream::connect(house.address).await.unwrap());
        mute.push(house.connect().await.unwrap().into_inner().0);
    }
    assert!(house.ask("/").await.unwrap().starts_with("HTTP/1.1 503"));
    house.dying.cancel();
    house.served.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_given_up() {
    let (ours, _theirs) = tokio::io::duplex(16);
    let mut ours = Metered::new(ours, Meter::new(Room::new()));
    let error = ours.write_all(&[0; 64]).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
}

fn agent() -> Identity {
    Identity::Agent {
        model: "00000000-0000-4000-8000-000000000001".parse().unwrap(),
        agent: periapt_model::AgentName::Host,
    }
}

/// Reads as much in pieces, as a websocket does.
async fn take(from: &mut (impl tokio::io::AsyncRead + Unpin), bytes: usize) -> std::io::Result<()> {
    let mut left = bytes;
    while left > 0 {
        let mut part = vec![0; left.min(16 << 10)];
        left -= from.read(&mut part).await?;
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn before_the_login_a_socket_takes_little_and_afterwards_a_message_in_time() {
    let (ours, mut theirs) = tokio::io::duplex(1 << 20);
    let meter = Meter::new(Room::new());
    let mut ours = Metered::new(ours, meter.clone());
    meter.begin();
    theirs.write_all(&[0; 100_000]).await.unwrap();
    let error = take(&mut ours, 100_000).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);

    meter.known(&agent());
    take(&mut ours, 10_000).await.unwrap();
    assert!(meter.finished().is_none(), "short ones need no room");
    // One that goes on too slowly ends the connection, and one at rest does not.
    tokio::time::sleep(Duration::from_secs(3600)).await;
    take(&mut ours, 1_000).await.unwrap();
    let error = take(&mut ours, 1 << 20).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn large_messages_share_a_room_that_is_given_back() {
    let room = Room::new();
    let person = Identity::User {
        name: "somebody".parse().unwrap(),
    };
    let message = vec![0; 1 << 20];
    let mut held = Vec::new();
    // As many as fit, then one that waits until a call is done.
    for number in 0.. {
        let (ours, mut theirs) = tokio::io::duplex(4 << 20);
        let meter = Meter::new(room.clone());
        let mut ours = Metered::new(ours, meter.clone());
        meter.begin();
        meter.known(&person);
        theirs.write_all(&message).await.unwrap();
        match take(&mut ours, message.len()).await {
            Ok(()) => held.push(meter.finished().unwrap()),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
                assert!((20..100).contains(&number), "{number}");
                break;
            }
        }
    }
    drop(held);
    let (ours, mut theirs) = tokio::io::duplex(4 << 20);
    let meter = Meter::new(room);
    let mut ours = Metered::new(ours, meter.clone());
    meter.begin();
    meter.known(&person);
    theirs.write_all(&message).await.unwrap();
    take(&mut ours, message.len()).await.unwrap();
}
