//! A whole server for tests: a real store in a temporary directory, a real TLS listener on
//! loopback, and clients that speak as others would. Only the compiler is a double.
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::{SinkExt, StreamExt};
use periapt_engine::SystemClock;
use periapt_model::{ModelUuid, Tag, UserName};
use periapt_server::{
    Authenticator, Authority, CharmCompiler, CompileProblem, CompiledCharm, ControllerIdentity,
    Feed, LeafResolver, ListenerLimits, ModelCache, Mux, Observation, Presence, Recorder, Reports,
    RouteGuard, Serve, ServerOptions, ServerState, StopSignal, authority, feed, listener,
};
use periapt_store::{NewToken, Store, StoreOptions, lease};
use periapt_telemetry::Spans;
use periapt_wire::rest::{AddModel, AddUser, ChangeUser, Deploy, ModelPermission, WorkerRow};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

pub const PASSWORD: &str = "a password of the administrator";
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct House {
    pub store: Store,
    pub state: ServerState,
    pub mux: Mux,
    pub guard: Option<RouteGuard>,
    pub address: SocketAddr,
    pub authority: Authority,
    pub stop: StopSignal,
    pub dying: CancellationToken,
    pub presence: Presence,
    served: tokio::task::JoinHandle<()>,
    pub stream: CancellationToken,
    options: Box<dyn Fn() -> ServerOptions + Send + Sync>,
    _directory: tempfile::TempDir,
}

/// What a person may do, seen from one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Disabled,
    WithoutAccess,
    Reader,
    Writer,
    Admin,
    AdminElsewhere,
    Superuser,
}

impl Standing {
    pub fn name(self) -> &'static str {
        match self {
            Standing::Disabled => "disabled",
            Standing::WithoutAccess => "stranger",
            Standing::Reader => "reader",
            Standing::Writer => "writer",
            Standing::Admin => "owner",
            Standing::AdminElsewhere => "neighbour",
            Standing::Superuser => "admin",
        }
    }
}

pub fn controller_uuid() -> ModelUuid {
    "c0c0c0c0-0000-4000-8000-000000000001".parse().unwrap()
}

pub fn admin() -> UserName {
    "admin".parse().unwrap()
}

impl House {
    pub async fn open() -> House {
        Self::open_as(Spans::off(), Arc::new(OneRow), feed::Limits::default()).await
    }

    /// A house whose ring of events has other bounds.
    pub async fn open_bounded(limits: feed::Limits) -> House {
        Self::open_as(Spans::off(), Arc::new(OneRow), limits).await
    }

    pub async fn open_with(spans: Spans, reports: Arc<dyn Reports>) -> House {
        Self::open_as(spans, reports, feed::Limits::default()).await
    }

    async fn open_as(spans: Spans, reports: Arc<dyn Reports>, limits: feed::Limits) -> House {
        let directory = tempfile::tempdir().unwrap();
        let clock = SystemClock::shared();
        let store = Store::open(StoreOptions::sqlite(
            directory.path().join("controller.db"),
            clock.clone(),
        ))
        .await
        .unwrap();
        store.set_password(&admin(), PASSWORD).await.unwrap();
        let stream = CancellationToken::new();
        {
            let (changes, stream) = (store.changes(), stream.clone());
            tokio::spawn(async move { changes.run(stream).await });
        }
        let authority = Authority::generate("home").unwrap();
        let resolver = LeafResolver::new(authority.issue(&[]).unwrap());
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let (mux, stop, presence, dying) = (
            Mux::new(),
            StopSignal::new(),
            Presence::new(clock.clone()),
            CancellationToken::new(),
        );
        let ca_cert = authority.ca_pem().to_owned();
        let observation = Observation::new(clock.clone(), spans);
        let metrics = observation.metrics.clone();
        let feed = Feed::with_limits(store.clone(), clock.clone(), presence.clone(), limits);
        let cache = ModelCache::new(feed.clone());
        {
            let (stop, cache) = (stream.clone(), cache.clone());
            tokio::spawn(
                async move { tokio::join!(feed.run(stop.clone()), cache.run(stop.clone())) },
            );
        }
        let options = {
            let audit = Recorder::start(
                store.clone(),
                Some(directory.path().join("audit.log")),
                Default::default(),
            );
            let (store, clock, stop, presence, cache) = (
                store.clone(),
                clock.clone(),
                stop.clone(),
                presence.clone(),
                cache.clone(),
            );
            let (authenticator, leases) = (
                Authenticator::new(store.clone(), clock.clone()),
                lease::Manager::new(&store),
            );
            move || ServerOptions {
                store: store.clone(),
                leases: leases.clone(),
                clock: clock.clone(),
                authenticator: authenticator.clone(),
                presence: presence.clone(),
                audit: audit.clone(),
                cache: cache.clone(),
                compiler: Arc::new(AnyComponent),
                reports: Arc::clone(&reports),
                limits: Default::default(),
                controller: ControllerIdentity {
                    uuid: controller_uuid(),
                    name: "home".to_owned(),
                    addresses: vec![address.to_string()],
                    ca_cert: ca_cert.clone(),
                    database: "sqlite".to_owned(),
                    started_at: 1,
                    node: 0,
                },
                stop: stop.clone(),
                observation: observation.clone(),
            }
        };
        cache.initialised().unlocked().await;
        let state = ServerState::new(options());
        let guard = Some(mux.add("/", state.router()).unwrap());
        let serve = Serve {
            listener: socket,
            tls: authority::server_config(&resolver).unwrap(),
            mux: mux.clone(),
            dying: dying.clone(),
            drain: PATIENCE,
            limits: ListenerLimits::default(),
            metrics,
        };
        let served = tokio::spawn(async move { listener::serve(serve).await.unwrap() });
        House {
            store,
            state,
            mux,
            guard,
            address,
            authority,
            stop,
            dying,
            presence,
            served,
            stream,
            options: Box::new(options),
            _directory: directory,
        }
    }

    /// What the API server's worker does when it ends.
    pub async fn stop_api(&mut self) {
        self.guard = None;
        self.state.shut_down();
        assert!(
            self.state.drained(PATIENCE).await,
            "connections outlive the API server"
        );
    }

    /// And when it starts again.
    pub fn start_api(&mut self) {
        self.state = ServerState::new((self.options)());
        self.guard = Some(self.mux.add("/", self.state.router()).unwrap());
    }

    pub async fn close(mut self) {
        self.stop_api().await;
        self.dying.cancel();
        self.served.await.unwrap();
        self.stream.cancel();
        self.store.close().await;
    }

    pub async fn add_model(&self, name: &str) -> ModelUuid {
        let request = AddModel {
            name: name.parse().unwrap(),
            config: Default::default(),
        };
        self.store.add_model(request, &admin()).await.unwrap().uuid
    }

    /// The password of the agent of a model.
    pub async fn agent_password(&self, model: &ModelUuid) -> String {
        self.store
            .make_agent_credential(model)
            .await
            .unwrap()
            .password
    }

    /// A charm uploaded and deployed with `placed` units on provisioned machines, and one unit
    /// that has no machine yet.
    pub async fn deploy(&self, model: &ModelUuid, placed: u32) {
        let http = self.http().await;
        let charm = http.upload(model, charm_archive("site")).await;
        assert_eq!(charm.0, 200, "{}", charm.1);
        let application: periapt_model::ApplicationName = "site".parse().unwrap();
        let url = charm.1["url"].as_str().unwrap().to_owned();
        let request = Deploy {
            application: application.clone(),
            charm: url,
            units: placed,
            config: Default::default(),
            placement: Vec::new(),
        };
        self.store.deploy(model, request).await.unwrap();
        let units = self.store.unit_assignments(model).await.unwrap();
        for assigned in self.store.assign_units(model, &units).await.unwrap() {
            assert_eq!(assigned.error, None);
        }
        for machine in self.store.machine_ids(model).await.unwrap() {
            let instance = format!("local-{machine}");
            self.store
                .set_instance_info(model, &machine, &instance, &["127.0.0.1".to_owned()], "")
                .await
                .unwrap();
        }
        self.store.add_units(model, &application, 1).await.unwrap();
    }

    /// One user for each [`Standing`]; `other` is the model of which one is the admin. And
    /// `target`, whom things are done to.
    pub async fn people(&self, model: &ModelUuid, other: &ModelUuid) {
        use ModelPermission::{Admin, Read, Write};
        for name in [
            "disabled",
            "stranger",
            "reader",
            "writer",
            "owner",
            "neighbour",
            "target",
        ] {
            let request = AddUser {
                name: name.to_owned(),
                ..AddUser::default()
            };
            self.store.add_user(request, &admin()).await.unwrap();
        }
        for (name, model, access) in [
            ("disabled", model, Admin),
            ("reader", model, Read),
            ("writer", model, Write),
            ("owner", model, Admin),
            ("neighbour", other, Admin),
        ] {
            let user = name.parse().unwrap();
            self.store.grant_model(model, &user, access).await.unwrap();
        }
    }

    /// A fresh token of one of the [`people`](Self::people); of the disabled one it was fresh
    /// before they were disabled.
    pub async fn token_of(&self, standing: Standing) -> String {
        let user: UserName = standing.name().parse().unwrap();
        let disabled = |disabled| ChangeUser {
            disabled: Some(disabled),
            ..ChangeUser::default()
        };
        if standing == Standing::Disabled {
            let change = self.store.change_user(&user, disabled(false)).await;
            change.unwrap();
        }
        let wanted = NewToken::login("test", PATIENCE * 10);
        let issued = self.store.issue_token(&user, wanted).await.unwrap();
        if standing == Standing::Disabled {
            let change = self.store.change_user(&user, disabled(true)).await;
            change.unwrap();
        }
        issued.secret
    }

    fn tls(&self) -> Arc<rustls::ClientConfig> {
        let mut roots = rustls::RootCertStore::empty();
        for certificate in rustls_pemfile::certs(&mut self.authority.ca_pem().as_bytes()) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        Arc::new(
            rustls::ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth(),
        )
    }

    /// A websocket that is not logged in.
    pub async fn socket(&self, path: &str) -> Socket {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let stream = TlsConnector::from(self.tls())
            .connect("juju-apiserver".try_into().unwrap(), stream)
            .await
            .unwrap();
        let url = format!("wss://{}{path}", self.address);
        let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
        Socket { socket, last: 0 }
    }

    /// A websocket of a person.
    pub async fn user(&self, path: &str) -> Socket {
        let mut socket = self.socket(path).await;
        socket.log_in("user-admin", PASSWORD).await.unwrap();
        socket
    }

    /// A websocket of the model's agent.
    pub async fn agent(&self, model: &ModelUuid) -> Socket {
        let password = self.agent_password(model).await;
        let mut socket = self.socket(&format!("/model/{model}/api")).await;
        socket
            .log_in(&Tag::Agent(model.clone()).to_string(), &password)
            .await
            .unwrap();
        socket
    }

    /// The HTTP API, logged in.
    pub async fn http(&self) -> Http {
        let mut http = self.stranger();
        let (status, login) = http
            .send(
                "POST",
                "/v1/login",
                Some(json!({ "user": "admin", "password": PASSWORD })),
            )
            .await;
        assert_eq!(status, 200, "{login}");
        http.authorization = Some(format!("Bearer {}", login["token"].as_str().unwrap()));
        http
    }

    /// The HTTP API without a credential.
    pub fn stranger(&self) -> Http {
        let root = reqwest::Certificate::from_pem(self.authority.ca_pem().as_bytes()).unwrap();
        let client = reqwest::Client::builder()
            .add_root_certificate(root)
            .timeout(PATIENCE)
            .build()
            .unwrap();
        Http {
            client,
            base: format!("https://{}", self.address),
            authorization: None,
        }
    }
}

pub struct Http {
    pub client: reqwest::Client,
    pub base: String,
    pub authorization: Option<String>,
}

impl Http {
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self
            .client
            .request(method.parse().unwrap(), format!("{}{path}", self.base));
        match &self.authorization {
            Some(value) => request.header("authorization", value),
            None => request,
        }
    }

    /// Status and JSON (null where the body is none).
    pub async fn send(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        read(request.send().await.unwrap()).await
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.send("GET", path, None).await
    }

    pub async fn upload(&self, model: &ModelUuid, bytes: Vec<u8>) -> (u16, Value) {
        let request = self.request(
            "POST",
            &format!("/v1/models/{model}/charms?name=test.charm"),
        );
        read(request.body(bytes).send().await.unwrap()).await
    }
}

async fn read(response: reqwest::Response) -> (u16, Value) {
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    (
        status,
        serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    )
}

/// Lines of a response without end.
pub struct LineReader {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

impl LineReader {
    pub fn new(response: reqwest::Response) -> Self {
        assert_eq!(response.status().as_u16(), 200);
        Self {
            response,
            buffer: Vec::new(),
        }
    }

    /// The next line; none at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk())
                .await
                .expect("a line in time");
            self.buffer.extend_from_slice(&chunk.ok().flatten()?);
        }
    }
}

/// Events of a stream as a browser gets them.
pub struct EventReader {
    response: reqwest::Response,
    buffer: Vec<u8>,
    /// What a browser would send as `Last-Event-ID`.
    pub last_id: Option<String>,
    /// Comments that were there.
    pub heartbeats: usize,
}

impl EventReader {
    pub async fn open(http: &Http, path: &str, last_id: Option<&str>) -> Self {
        let mut request = http
            .request("GET", path)
            .timeout(PATIENCE * 4)
            .header("accept", "text/event-stream");
        if let Some(id) = last_id {
            request = request.header("last-event-id", id);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            buffer: Vec::new(),
            last_id: last_id.map(str::to_owned),
            heartbeats: 0,
        }
    }

    /// Name and data of the next event; none at the end.
    pub async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                let block = String::from_utf8(block).unwrap();
                let field = |name: &str| {
                    block
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(str::to_owned)
                };
                self.heartbeats += usize::from(block.starts_with(": heartbeat"));
                if let Some(id) = field("id: ") {
                    self.last_id = Some(id);
                }
                if let Some(data) = field("data: ") {
                    let data = serde_json::from_str(&data).unwrap();
                    return Some((field("event: ").unwrap(), data));
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk())
                .await
                .expect("an event in time");
            self.buffer.extend_from_slice(&chunk.ok().flatten()?);
        }
    }

    /// The snapshot with everything up to `current`, by kind and key.
    pub async fn snapshot(&mut self) -> std::collections::BTreeMap<(String, String), Value> {
        let mut all = std::collections::BTreeMap::new();
        loop {
            let (name, data) = self.next().await.expect("a whole snapshot");
            match name.as_str() {
                "snapshot" => {
                    let key = (text(&data["kind"]), text(&data["key"]));
                    assert_eq!(all.insert(key, data), None, "each once");
                }
                "current" => return all,
                other => panic!("{other} within the snapshot: {data}"),
            }
        }
    }

    /// The next change of this kind and key that `fits`.
    pub async fn until(&mut self, kind: &str, key: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (name, data) = self.next().await.expect("the stream goes on");
            assert_eq!(name, "change", "{data}");
            if data["kind"] == kind && data["key"] == key && fits(&data["entity"]) {
                return data;
            }
        }
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A websocket client that keeps requests and replies in its own hands.
pub struct Socket {
    socket: WebSocketStream<TlsStream<TcpStream>>,
    last: u64,
}

/// Code and message of a refused call.
pub type Refusal = (String, String);

impl Socket {
    pub async fn send(
        &mut self,
        facade: &str,
        method: &str,
        id: Option<&str>,
        params: Value,
    ) -> u64 {
        self.last += 1;
        let version = if facade == "Admin" { 3 } else { 1 };
        let mut request = json!({ "request-id": self.last, "type": facade, "version": version, "request": method, "params": params });
        if let Some(id) = id {
            request["Id"] = json!(id);
        }
        self.text(&request.to_string()).await;
        self.last
    }

    pub async fn text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// The next reply, whatever it answers; none when the server closed.
    pub async fn reply(&mut self) -> Option<Value> {
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next())
                .await
                .expect("a reply in time")
            {
                Some(Ok(Message::Text(text))) => {
                    return Some(serde_json::from_str(text.as_str()).unwrap());
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// A call whose reply is the next one.
    pub async fn call(
        &mut self,
        facade: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, Refusal> {
        self.call_id(facade, method, None, params).await
    }

    pub async fn call_id(
        &mut self,
        facade: &str,
        method: &str,
        id: Option<&str>,
        params: Value,
    ) -> Result<Value, Refusal> {
        let sent = self.send(facade, method, id, params).await;
        let reply = self.reply().await.expect("the connection stands");
        assert_eq!(reply["request-id"], sent, "{reply}");
        outcome(reply)
    }

    pub async fn log_in(&mut self, tag: &str, password: &str) -> Result<Value, Refusal> {
        self.call(
            "Admin",
            "Login",
            json!({ "auth-tag": tag, "credentials": password, "client-version": "3.6.1" }),
        )
        .await
    }
}

pub fn outcome(reply: Value) -> Result<Value, Refusal> {
    match reply.get("error") {
        None => Ok(reply["response"].clone()),
        Some(error) => {
            assert_eq!(
                reply["response"],
                json!({}),
                "an error carries an empty response"
            );
            let code = reply
                .get("error-code")
                .and_then(Value::as_str)
                .unwrap_or_default();
            Err((code.to_owned(), error.as_str().unwrap().to_owned()))
        }
    }
}

/// Takes any component.
struct AnyComponent;

#[async_trait]
impl CharmCompiler for AnyComponent {
    fn engine_hash(&self) -> String {
        "engine-1".to_owned()
    }

    async fn compile(&self, component: &[u8]) -> Result<CompiledCharm, CompileProblem> {
        if component.len() > 8 && component.ends_with(b"refuse me") {
            return Err(CompileProblem {
                code: "charm-component-invalid".to_owned(),
                message: "it imports the moon".to_owned(),
            });
        }
        let hooks = vec!["install".to_owned(), "config-changed".to_owned()];
        Ok(CompiledCharm {
            cwasm: [b"compiled ", component].concat(),
            hooks,
            engine_hash: self.engine_hash(),
        })
    }
}

pub struct OneRow;

#[async_trait]
impl Reports for OneRow {
    async fn controller(&self) -> Vec<WorkerRow> {
        vec![row("httpserver", "controller", "running", 1)]
    }

    async fn model(&self, _model: &ModelUuid) -> Vec<WorkerRow> {
        vec![row("undertaker", "model", "running", 1)]
    }
}

pub fn row(worker: &str, agent: &str, state: &str, running: u64) -> WorkerRow {
    WorkerRow {
        worker: worker.to_owned(),
        agent: agent.to_owned(),
        state: state.to_owned(),
        reason: String::new(),
        running,
        start_count: running,
    }
}

pub const CONFIG: &str =
    "options:\n  port:\n    type: int\n    default: 8080\n    description: where it listens\n";

pub fn charm_archive(name: &str) -> Vec<u8> {
    let metadata = format!("name: {name}\nsummary: a test\ndescription: a test\n");
    archive(&[
        ("metadata.yaml", metadata.as_bytes()),
        ("config.yaml", CONFIG.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ])
}

pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}
