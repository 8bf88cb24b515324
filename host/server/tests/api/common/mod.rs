//! A whole server for tests: a real store in a temporary directory, a real TLS listener on
//! loopback, and clients that speak as others would. Only the compiler is a double.

mod doubles;
mod http;
mod socket;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use periapt_engine::SystemClock;
use periapt_model::{AgentName, ModelUuid, Tag, UserName};
use periapt_server::{
    Authenticator, Authority, ControllerIdentity, Feed, Keyring, LeafResolver, ListenerLimits,
    ModelCache, Mux, Observation, Presence, Recorder, Reports, RouteGuard, Serve, ServerOptions,
    ServerState, StopSignal, Upgrade, authority, feed, listener,
};
use periapt_store::{NewToken, Store, StoreOptions, lease};
use periapt_telemetry::Spans;
use periapt_wire::rest::{AddModel, AddUser, ChangeUser, Deploy, ModelPermission};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::sync::CancellationToken;

use doubles::AnyComponent;
pub use doubles::{OneRow, archive, charm_archive, row};
pub use http::{EventReader, Http, LineReader, text};
pub use socket::{Refusal, Socket, outcome};

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
        Self::open_upgrading(Upgrade::done()).await
    }

    /// A house whose controller may be in the middle of an upgrade.
    pub async fn open_upgrading(upgrade: Upgrade) -> House {
        let limits = feed::Limits::default();
        Self::open_as(Spans::off(), Arc::new(OneRow), limits, upgrade).await
    }

    /// A house whose ring of events has other bounds.
    pub async fn open_bounded(limits: feed::Limits) -> House {
        Self::open_as(Spans::off(), Arc::new(OneRow), limits, Upgrade::done()).await
    }

    pub async fn open_with(spans: Spans, reports: Arc<dyn Reports>) -> House {
        Self::open_as(spans, reports, feed::Limits::default(), Upgrade::done()).await
    }

    async fn open_as(
        spans: Spans,
        reports: Arc<dyn Reports>,
        limits: feed::Limits,
        upgrade: Upgrade,
    ) -> House {
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
        let resolver = LeafResolver::new(authority.clone(), &[], clock.clone()).unwrap();
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
            let keyring = Arc::new(Keyring::open(directory.path(), "authority", 1).unwrap());
            move || ServerOptions {
                store: store.clone(),
                leases: leases.clone(),
                clock: clock.clone(),
                authenticator: authenticator.clone(),
                presence: presence.clone(),
                audit: audit.clone(),
                cache: cache.clone(),
                compiler: Arc::new(AnyComponent),
                keyring: Arc::clone(&keyring),
                reports: Arc::clone(&reports),
                backups: Arc::new(periapt_server::backups::NoBackups),
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
                upgrade: upgrade.clone(),
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

    /// Where the database and the audit file are.
    pub fn directory(&self) -> &std::path::Path {
        self._directory.path()
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

    /// Another process of the controller, number 1 where this is 0: with the same store, and nobody connected to it.
    pub fn other_process(&self) -> ServerState {
        let mut options = (self.options)();
        options.presence = Presence::new(options.clock.clone());
        options.observation = Observation::new(options.clock.clone(), Spans::off());
        options.controller.node = 1;
        ServerState::new(options)
    }

    pub async fn close(mut self) {
        self.stop_api().await;
        self.dying.cancel();
        self.served.await.unwrap();
        self.stream.cancel();
        self.store.close().await;
    }

    pub async fn add_model(&self, name: &str) -> ModelUuid {
        let request = AddModel::new(name.parse().unwrap());
        self.store.add_model(request, &admin()).await.unwrap().uuid
    }

    /// Waits until it is written down that somebody used a model, and what was handed in before that.
    pub async fn visited(&self, user: &UserName, model: &str) {
        loop {
            let own = self.store.own_models(user).await.unwrap();
            let found = own.iter().find(|own| own.name.as_str() == model);
            if found.is_some_and(|own| own.last_connection.is_some()) {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        // Whatever was handed in before is counted when this is answered.
        self.store.ping().await.unwrap();
    }

    /// The password of the agent of a model.
    pub async fn agent_password(&self, model: &ModelUuid) -> String {
        self.store
            .make_agent_credential(model, &AgentName::Host)
            .await
            .unwrap()
            .password
    }

    /// A charm uploaded and deployed with `placed` units on provisioned machines, and one unit
    /// that has no machine yet.
    pub async fn deploy(&self, model: &ModelUuid, placed: u32) {
        let http = self.http().await;
        let charm = http.upload(model, charm_archive("site")).await;
        assert_eq!(charm.0, 201, "{}", charm.1);
        let application: periapt_model::ApplicationName = "site".parse().unwrap();
        let url = charm.1["url"].as_str().unwrap().to_owned();
        let request = Deploy {
            channel: None,
            resources: Default::default(),
            trust: false,
            constraints: String::new(),
            application: application.clone(),
            charm: url,
            units: placed,
            config: Default::default(),
            placement: Vec::new(),
            storage: Default::default(),
            attach_storage: Vec::new(),
            capabilities: Default::default(),
        };
        self.store.deploy(model, request).await.unwrap();
        let units = self.store.unit_assignments(model).await.unwrap();
        for assigned in self.store.assign_units(model, &units).await.unwrap() {
            assert_eq!(assigned.error, None);
        }
        for machine in self.store.machine_ids(model).await.unwrap() {
            let instance = format!("local-{machine}");
            self.store
                .set_instance_info(
                    model,
                    &machine,
                    &AgentName::Host,
                    &instance,
                    &["127.0.0.1".to_owned()],
                    "",
                )
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

    /// A connection on which nothing was said yet.
    pub async fn connection(&self) -> TlsStream<TcpStream> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        TlsConnector::from(self.tls())
            .connect("juju-apiserver".try_into().unwrap(), stream)
            .await
            .unwrap()
    }

    /// A websocket that is not logged in.
    pub async fn socket(&self, path: &str) -> Socket {
        let stream = self.connection().await;
        let url = format!("wss://{}{path}", self.address);
        let (socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
        Socket::new(socket)
    }

    /// A websocket of the model's agent.
    pub async fn agent(&self, model: &ModelUuid) -> Socket {
        let password = self.agent_password(model).await;
        let mut socket = self.socket(&format!("/model/{model}/api")).await;
        socket
            .log_in(
                &Tag::Agent(model.clone(), AgentName::Host).to_string(),
                &password,
            )
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
