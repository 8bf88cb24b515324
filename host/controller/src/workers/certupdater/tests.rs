use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::{FakeClock, SharedWorker, SystemClock};
use periapt_server::Mux;
use periapt_server::authority::server_config;
use periapt_server::listener::{ListenerLimits, Serve, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

use periapt_server::authority::LEAF_LIFE;

use super::*;

/// The updater at work on a leaf of its own.
struct Scene {
    authority: Authority,
    resolver: LeafResolver,
    addresses: watch::Sender<Vec<String>>,
    worker: SharedWorker,
}

fn scene(clock: SharedClock) -> Scene {
    let authority = Authority::generate("home").unwrap();
    let addresses = ["127.0.0.1".to_owned()];
    let resolver = LeafResolver::new(authority.clone(), &addresses, clock.clone()).unwrap();
    let addresses = watch::Sender::new(vec!["127.0.0.1:17070".to_owned()]);
    let updater = Updater {
        everywhere: false,
        listening: IpAddr::V4(Ipv4Addr::LOCALHOST),
        addresses: addresses.subscribe(),
        resolver: resolver.clone(),
        clock,
    };
    Scene {
        authority,
        resolver,
        addresses,
        worker: TaskWorker::spawn(|worker| updater.run(worker)),
    }
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..1000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within 10 s: {what}");
}

async fn get(client: &reqwest::Client, address: SocketAddr) -> Result<u16, reqwest::Error> {
    let answer = client
        .get(format!("https://{address}/hello"))
        .send()
        .await?;
    Ok(answer.status().as_u16())
}

/// "When the controller gains an address, then connecting by that address passes TLS
/// verification without restart; existing connections survive."
#[tokio::test]
async fn a_gained_address_passes_verification_and_connections_survive() {
    let scene = scene(SystemClock::shared());
    let listener = tokio::net::TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mux = Mux::new();
    let _routes = mux
        .add(
            "/",
            axum::Router::new().route("/hello", axum::routing::get(|| async { "hello" })),
        )
        .unwrap();
    let dying = CancellationToken::new();
    let served = tokio::spawn(serve(Serve {
        listener,
        tls: server_config(&scene.resolver).unwrap(),
        mux,
        dying: dying.clone(),
        drain: Duration::from_secs(1),
        limits: ListenerLimits::default(),
        metrics: periapt_server::Metrics::new(SystemClock::shared()),
    }));
    let first = SocketAddr::from(([127, 0, 0, 1], port));
    let gained = SocketAddr::from(([127, 0, 0, 2], port));
    let root = reqwest::Certificate::from_pem(scene.authority.ca_pem().as_bytes()).unwrap();
    let client = || {
        reqwest::Client::builder()
            .add_root_certificate(root.clone())
            .build()
            .unwrap()
    };
    // One connection that stands all the while, spoken by hand to be sure that it is the same.
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(scene.resolver.current().chain()[1].clone())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = tokio::net::TcpStream::connect(first).await.unwrap();
    let mut standing = tokio_rustls::TlsConnector::from(Arc::new(tls))
        .connect("127.0.0.1".try_into().unwrap(), stream)
        .await
        .unwrap();
    let mut ask = async || {
        standing
            .write_all(b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .unwrap();
        let mut answer = [0; 1024];
        let length = standing.read(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    assert!(ask().await.starts_with("HTTP/1.1 200"));

    assert!(get(&client(), gained).await.is_err(), "not covered yet");
    scene
        .addresses
        .send_modify(|addresses| addresses.push(gained.to_string()));
    until("the leaf covers the address", || {
        scene
            .resolver
            .current()
            .names()
            .contains(&"127.0.0.2".to_owned())
    })
    .await;
    assert_eq!(get(&client(), gained).await.unwrap(), 200);
    assert_eq!(get(&client(), first).await.unwrap(), 200);
    assert!(
        ask().await.starts_with("HTTP/1.1 200"),
        "the old connection serves on"
    );

    // The same addresses in another order need no other leaf.
    let leaf = scene.resolver.current().chain()[0].clone();
    scene.addresses.send_modify(|_| {});
    tokio::task::yield_now().await;
    assert_eq!(scene.resolver.current().chain()[0], leaf);
    scene.worker.kill();
    scene.worker.wait().await.unwrap();
    dying.cancel();
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_leaf_is_replaced_after_two_thirds_of_its_life() {
    let clock = FakeClock::new();
    let scene = scene(clock.shared());
    let first = scene.resolver.current().chain()[0].clone();
    let days = LEAF_LIFE.as_secs() / (24 * 3600);
    let leaf = || scene.resolver.current().chain()[0].clone();
    let month = async || {
        until("the updater sleeps", || clock.sleepers() > 0).await;
        clock.advance(30 * DAY);
        until("the updater sleeps again", || clock.sleepers() > 0).await;
    };
    for _ in 0..days * 2 / 3 / 30 - 1 {
        month().await;
    }
    assert_eq!(leaf(), first);
    for _ in 0..3 {
        month().await;
    }
    assert_ne!(leaf(), first);
    scene.worker.kill();
    scene.worker.wait().await.unwrap();
}

#[test]
fn interfaces_are_read_from_the_kernels_tables() {
    let trie = "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n     |-- 10.1.2.3\n        /32 host LOCAL\n     |-- 10.1.2.255\n        /32 link BROADCAST\n     |-- 127.0.0.1\n        /32 host LOCAL\n";
    assert_eq!(ipv4(trie), ["10.1.2.3".parse::<IpAddr>().unwrap()]);
    let table = "00000000000000000000000000000001 01 80 10 80       lo\nfe80000000000000021122fffe334455 02 40 20 80     eth0\nfd420000000000000000000000000007 02 40 00 80     eth0\n";
    assert_eq!(ipv6(table), ["fd42::7".parse::<IpAddr>().unwrap()]);
}
