use periapt_engine::SystemClock;
use periapt_server::Authority;
use periapt_server::Metrics;

use super::*;

/// "When started with port 0, then server-info output shows the real port and GET on an added
/// route is 200." Plain and over TLS.
#[tokio::test]
async fn the_real_port_is_shown_and_an_added_route_answers() {
    let authority = Authority::generate("home").unwrap();
    let resolver = LeafResolver::new(authority.clone(), &[], SystemClock::shared()).unwrap();
    let root = reqwest::Certificate::from_pem(authority.ca_pem().as_bytes()).unwrap();
    let client = reqwest::Client::builder()
        .add_root_certificate(root)
        .build()
        .unwrap();
    for resolver in [None, Some(resolver)] {
        let encrypted = resolver.is_some();
        let worker = worker(
            "127.0.0.1:0".parse().unwrap(),
            resolver,
            Metrics::new(SystemClock::shared()),
        )
        .await
        .unwrap();
        let info: ServerInfo = worker.outputs().get().unwrap();
        assert_ne!(info.address.port(), 0);
        assert_eq!(info.encrypted, encrypted);
        let scheme = if encrypted { "https" } else { "http" };
        let url = format!("{scheme}://{}/page", info.address);
        assert_eq!(
            client.get(&url).send().await.unwrap().status(),
            503,
            "no route yet"
        );
        let mux: Mux = worker.outputs().get().unwrap();
        let page = Router::new().route("/page", axum::routing::get(|| async { "here" }));
        let guard = mux.add("/page", page).unwrap();
        let answer = client.get(&url).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.text().await.unwrap(), "here");
        assert_eq!(worker.report()["address"], info.address.to_string());
        drop(guard);
        worker.kill();
        worker.wait().await.unwrap();
        assert!(client.get(&url).send().await.is_err(), "the port is closed");
    }
}
