use std::path::PathBuf;
use std::time::Duration;

use periapt_wire::rest::EngineMap;
use tempfile::TempDir;
use tokio::sync::oneshot;

use super::NAME;
use crate::tests::{introspect, node, options};
use crate::workers::httpserver;
use crate::{INTROSPECTION_SOCKET, RunOptions, bootstrap, run};

/// "With the key missing it is in error and the HTTP server stays down", and both are back once
/// the key is.
#[tokio::test]
async fn without_the_authoritys_key_nothing_is_served_until_it_is_back() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let key = home.path().join("pki/ca.key");
    let kept = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();

    let mut options = RunOptions::new(home.path());
    options.program = PathBuf::from("/bin/true");
    let stop = options.stop.clone();
    let (ready, mut is_ready) = oneshot::channel();
    let running = std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(run(options, move |info| drop(ready.send(info))))
    });
    let mut looked = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        looked += 1;
        assert!(looked < 600, "the worker does not show its error");
        if !home.path().join(INTROSPECTION_SOCKET).exists() {
            continue;
        }
        let map = introspect(home.path(), "/depengine").await;
        let map: EngineMap = serde_json::from_str(&map).unwrap();
        let watcher = node(&map, "controller", NAME).unwrap();
        let error = watcher.error.clone().unwrap_or_default();
        if error.contains("ca.key") {
            let server = node(&map, "controller", httpserver::NAME).unwrap();
            assert_eq!(server.state, "stopped");
            break;
        }
    }
    assert!(is_ready.try_recv().is_err());
    assert!(
        std::net::TcpStream::connect(&made.api_endpoints[0]).is_err(),
        "a port that nobody serves refuses connections"
    );

    std::fs::write(&key, kept).unwrap();
    let served = tokio::time::timeout(Duration::from_secs(60), is_ready).await;
    assert_eq!(served.unwrap().unwrap().addresses, made.api_endpoints);
    stop.cancel();
    running.join().unwrap().unwrap();
}
