//! A whole controller in this process: made, run, asked and stopped.

use std::collections::BTreeSet;
use std::io::{Cursor, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use periapt_catalogue::AgentKind;
use periapt_engine::{Manifolds, SystemClock};
use periapt_model::ModelUuid;
use periapt_store::Store;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use periapt_telemetry::Spans;
use periapt_wire::rest::{Deploy, EngineMap, NodeView, Page};

use super::{
    BootstrapOptions, BootstrapResult, ControllerConfig, ControllerError, RunOptions, bootstrap,
    run, running_pid,
};
use crate::workers::{self, logger};

mod closed;
mod promises;

/// The table, for tests that start nothing.
fn table() -> Manifolds {
    let config = ControllerConfig {
        uuid: "c0c0c0c0-0000-4000-8000-000000000001".parse().unwrap(),
        name: "home".into(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        controller_api_port: None,
        database: None,
        controller_model: "c0c0c0c0-0000-4000-8000-000000000002".parse().unwrap(),
        node: 0,
        agents_directory: None,
        limits: Default::default(),
        slow_query_ms: 1000,
        otlp_endpoint: None,
    };
    workers::manifolds(&super::run::context(
        RunOptions::new("/nowhere"),
        config,
        Spans::off(),
    ))
}

pub(crate) fn options(directory: &Path) -> BootstrapOptions {
    BootstrapOptions {
        data_dir: directory.to_owned(),
        name: "home".into(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        port: 0,
        database: None,
        admin_password: None,
        limits: Default::default(),
        otlp_endpoint: None,
    }
}

pub(crate) struct Running {
    made: BootstrapResult,
    stop: CancellationToken,
    ended: oneshot::Receiver<Result<(), ControllerError>>,
}

pub(crate) async fn start(directory: &Path, made: BootstrapResult) -> Running {
    start_with(directory, made, |_| {}).await
}

pub(crate) async fn start_with(
    directory: &Path,
    made: BootstrapResult,
    adjust: impl FnOnce(&mut RunOptions),
) -> Running {
    let mut options = RunOptions::new(directory);
    options.clock = SystemClock::shared();
    // Agents are no part of this: a program that ends at once.
    options.program = PathBuf::from("/bin/true");
    adjust(&mut options);
    let stop = options.stop.clone();
    let (ready, is_ready) = oneshot::channel();
    let (over, mut ended) = oneshot::channel();
    // A runtime of its own, as in a process.
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let result = runtime.block_on(run(options, move |info| drop(ready.send(info))));
        drop(over.send(result));
    });
    tokio::select! {
        info = tokio::time::timeout(Duration::from_secs(30), is_ready) => {
            assert_eq!(info.unwrap().unwrap().addresses, made.api_endpoints);
        }
        ended = &mut ended => panic!("the controller ended: {ended:?}"),
    }
    Running { made, stop, ended }
}

impl Running {
    pub(crate) fn client(&self) -> reqwest::Client {
        let authority = reqwest::Certificate::from_pem(self.made.ca_pem.as_bytes()).unwrap();
        reqwest::Client::builder()
            .add_root_certificate(authority)
            .build()
            .unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.made.api_endpoints[0])
    }

    /// A token of the administrator.
    pub(crate) async fn log_in(&self) -> String {
        let (user, password) = (&self.made.admin_user, &self.made.admin_password);
        let login = serde_json::json!({ "user": user, "password": password });
        let answer = self
            .client()
            .post(self.url("/v1/login"))
            .json(&login)
            .send();
        let reply: periapt_wire::rest::LoginReply = answer.await.unwrap().json().await.unwrap();
        reply.token
    }

    pub(crate) async fn stop(self) {
        self.stop.cancel();
        tokio::time::timeout(Duration::from_secs(30), self.ended)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}

/// An application `site` with one unit, of a charm that nobody runs.
pub(crate) async fn deploy_site(store: &Store, model: &ModelUuid) {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [
        ("metadata.yaml", &b"name: site\nsummary: A site\n"[..]),
        ("charm.wasm", &b"\0asm\x0d\0\x01\0"[..]),
    ] {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    let archive = Bytes::from(writer.finish().unwrap().into_inner());
    let read = periapt_model::charm::Archive::read(&archive).unwrap();
    let charm = read.info("local:site-0".parse().unwrap(), vec!["start".into()]);
    let charm = store.add_charm(model, charm, archive).await.unwrap();
    let deploy = Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        placement: Vec::new(),
        application: "site".parse().unwrap(),
        charm: charm.url.to_string(),
        units: 1,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    store.deploy(model, deploy).await.unwrap();
}

/// A node of an engine.
pub(crate) fn node<'a>(map: &'a EngineMap, engine: &str, name: &str) -> Option<&'a NodeView> {
    let engine = map.engines.iter().find(|view| view.id == engine)?;
    engine.nodes.iter().find(|node| node.name == name)
}

/// What the introspection socket answers.
pub(crate) async fn introspect(directory: &Path, path: &str) -> String {
    let mut socket = UnixStream::connect(directory.join(super::INTROSPECTION_SOCKET))
        .await
        .unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: periapt\r\nConnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

#[test]
fn the_table_has_no_loose_ends() {
    assert_eq!(table().unknown_inputs(), []);
}

#[test]
fn every_node_of_the_controller_is_in_the_catalogue_and_the_other_way_round() {
    let table = table();
    let names: BTreeSet<&str> = table.names().collect();
    assert_eq!(names, periapt_catalogue::nodes(AgentKind::Controller));
}

#[tokio::test]
async fn a_controller_is_made_serves_over_tls_and_stops() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    assert_eq!(made.admin_password.len(), 24);
    let mode = |name: &str| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(home.path().join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(
        (mode("pki/ca.key"), mode("controller.json"), mode("pki")),
        (0o600, 0o600, 0o700)
    );

    let controller = start(home.path(), made.clone()).await;
    assert_eq!(running_pid(home.path()), Some(std::process::id()));
    let client = controller.client();
    for path in ["/health", "/ready"] {
        let answer = client.get(controller.url(path)).send().await.unwrap();
        assert_eq!(
            answer.status(),
            200,
            "{path}: {}",
            answer.text().await.unwrap()
        );
    }
    let login = serde_json::json!({ "user": made.admin_user, "password": made.admin_password });
    let answer = client
        .post(controller.url("/v1/login"))
        .json(&login)
        .send()
        .await
        .unwrap();
    let login: periapt_wire::rest::LoginReply = answer.json().await.unwrap();
    let models = client
        .get(controller.url("/v1/models"))
        .bearer_auth(&login.token)
        .send()
        .await
        .unwrap();
    let models: periapt_wire::rest::Page<periapt_wire::rest::ModelSummary> =
        models.json().await.unwrap();
    let models = models.items;
    assert_eq!(models.len(), 1);
    assert_eq!(
        (models[0].name.as_str(), models[0].machines),
        ("controller", 0)
    );

    // modelworkermanager: a new model's engine is in the report within an event.
    let add = serde_json::json!({ "name": "lab" });
    let added = client
        .post(controller.url("/v1/models"))
        .bearer_auth(&login.token)
        .json(&add)
        .send()
        .await
        .unwrap();
    let added: periapt_wire::rest::ModelSummary = added.json().await.unwrap();
    let engines: EngineMap = 'found: {
        for _ in 0..300 {
            let engines: EngineMap =
                serde_json::from_str(&introspect(home.path(), "/depengine").await).unwrap();
            let id = format!("model/{}", added.uuid);
            if node(&engines, &id, "compute-provisioner")
                .is_some_and(|node| node.state == "started")
            {
                break 'found engines;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the new model's engine is not in the report");
    };
    for node in &engines.engines[0].nodes {
        if node.state == "uninstalled" {
            assert_eq!(node.name, "termination-signal-handler", "{node:?}");
            assert!(node.error.is_some());
        } else {
            assert_eq!(node.state, "started", "{node:?}");
        }
    }
    assert!(node(&engines, "controller", "termination-signal-handler").is_some());
    let agent = node(&engines, "controller", "agent").unwrap();
    assert!(agent.inputs.is_empty());
    let manager = node(&engines, "controller", "model-worker-manager").unwrap();
    assert!(manager.inputs.contains(&"agent".to_owned()), "{manager:?}");
    let metrics = introspect(home.path(), "/metrics").await;
    assert!(
        metrics.contains("periapt_workers_running{agent=\"controller\",worker=\"api-server\"} 1"),
        "{metrics}"
    );
    introspect(home.path(), "/leases").await;

    let rows = client
        .get(controller.url("/v1/workers?limit=1000"))
        .bearer_auth(&login.token)
        .send()
        .await
        .unwrap();
    let rows: Page<periapt_wire::rest::WorkerRow> = rows.json().await.unwrap();
    let rows = rows.items;
    assert_eq!(rows.len(), 110);
    for worker in [
        "apiserver",
        "httpserver",
        "changestream",
        "lease",
        "modelworkermanager",
        "provisioner",
    ] {
        assert!(
            rows.iter()
                .any(|row| row.worker == worker && row.state == "running"),
            "{worker}"
        );
    }

    // A second controller on the same directory is told who runs.
    let second = run(RunOptions::new(home.path()), |_| {}).await.unwrap_err();
    assert_eq!(second.code(), "controller-already-running");
    assert!(
        second
            .to_string()
            .contains(&format!("process {}", std::process::id())),
        "{second}"
    );

    let url = controller.url("/health");
    controller.stop().await;
    assert!(client.get(url).send().await.is_err(), "the port is closed");
    assert_eq!(running_pid(home.path()), None);

    // And again, from what is on the disk.
    let again = start(home.path(), made).await;
    let answer = again
        .client()
        .get(again.url("/ready"))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200);
    again.stop().await;
}

#[tokio::test]
async fn a_taken_port_is_told_and_nothing_is_left_running() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let taken = std::net::TcpListener::bind(&made.api_endpoints[0]).unwrap();
    let error = run(RunOptions::new(home.path()), |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "port-unavailable");
    assert!(
        error.to_string().contains(&made.api_endpoints[0]),
        "{error}"
    );
    drop(taken);
    start(home.path(), made).await.stop().await;
}

#[tokio::test]
async fn directories_without_and_with_a_controller() {
    let home = TempDir::new().unwrap();
    let missing = home.path().join("missing");
    let error = run(RunOptions::new(&missing), |_| {}).await.unwrap_err();
    assert_eq!(error.code(), "controller-not-found");
    assert!(!missing.exists(), "looking leaves no trace");
    bootstrap(options(home.path())).await.unwrap();
    let again = bootstrap(options(home.path())).await.unwrap_err();
    assert_eq!(again.code(), "controller-already-exists");
}

#[tokio::test]
async fn a_request_over_the_api_stops_the_process() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let controller = start(home.path(), made.clone()).await;
    let client = controller.client();
    let login = serde_json::json!({ "user": made.admin_user, "password": made.admin_password });
    let answer = client
        .post(controller.url("/v1/login"))
        .json(&login)
        .send()
        .await
        .unwrap();
    let login: periapt_wire::rest::LoginReply = answer.json().await.unwrap();
    let stop = serde_json::json!({ "agents": true });
    client
        .post(controller.url("/v1/controller/stop"))
        .bearer_auth(&login.token)
        .json(&stop)
        .send()
        .await
        .unwrap();
    tokio::time::timeout(Duration::from_secs(30), controller.ended)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
}

#[test]
fn logging_config_becomes_a_filter() {
    assert_eq!(logger::filter("<root>=INFO"), "info");
    assert_eq!(
        logger::filter("<root>=WARNING;periapt_store.lease=TRACE"),
        "warn,periapt_store::lease=trace"
    );
    assert_eq!(logger::filter("DEBUG, unit = CRITICAL"), "debug,unit=error");
}
