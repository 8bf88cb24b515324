//! A model engine on a real store and the real API, with time that the test moves and a
//! double of the provider.

use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use periapt_engine::{DependencyEngine, FakeClock, NodeState, WorkerError};
use periapt_model::{ApplicationName, MachineId, ModelUuid, Refusal, UserName};
use periapt_providers::{Providers, local};
use periapt_server::{
    Authenticator, CharmCompiler, CompileProblem, CompiledCharm, Components, ControllerIdentity,
    Feed, Identity, Keyring, ModelCache, Observation, Presence, Recorder, Reports, ServerOptions,
    ServerState, StopSignal, Turn, Upgrade, rpc,
};
use periapt_store::{Store, StoreOptions, lease};
use periapt_telemetry::Spans;
use periapt_wire::ApiConnection;
use periapt_wire::rest::{AddModel, Deploy, WorkerRow};
use tempfile::TempDir;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::double::{Double, One};
use crate::model::apicaller::Connect;
use crate::model::{self, ModelContext};

pub const CONTROLLER: &str = "c0c0c0c0-0000-4000-8000-000000000001";

pub struct Bench {
    pub clock: FakeClock,
    pub store: Store,
    pub state: ServerState,
    /// That of the controller's other process.
    other: ServerState,
    pub leases: lease::Manager,
    pub provider: Arc<Double>,
    pub compiler: Arc<Compiler>,
    pub model: ModelUuid,
    pub addresses: watch::Sender<Vec<String>>,
    pub home: TempDir,
    stop: CancellationToken,
}

impl Bench {
    pub async fn new() -> Self {
        let home = TempDir::new().unwrap();
        let clock = FakeClock::new();
        let options = StoreOptions::sqlite(home.path().join("controller.db"), clock.shared());
        let store = Store::open(options).await.unwrap();
        let stop = CancellationToken::new();
        let (changes, stopped) = (store.changes(), stop.clone());
        tokio::spawn(async move { changes.run(stopped).await });
        let leases = lease::Manager::new(&store);
        let compiler = Arc::new(Compiler::default());
        let presence = Presence::new(clock.shared());
        // Nobody follows events here, so the feed need not run.
        let feed = Feed::new(store.clone(), clock.shared(), presence.clone());
        let keyring = Arc::new(Keyring::open(home.path(), "authority", 1).unwrap());
        let state_of = |node: u32| {
            ServerState::new(ServerOptions {
                store: store.clone(),
                leases: leases.clone(),
                clock: clock.shared(),
                authenticator: Authenticator::new(store.clone(), clock.shared()),
                presence: presence.clone(),
                audit: Recorder::start(store.clone(), None, Default::default()),
                cache: ModelCache::new(feed.clone()),
                compiler: Arc::clone(&compiler) as Arc<dyn CharmCompiler>,
                keyring: Arc::clone(&keyring),
                reports: Arc::new(NoReports),
                backups: Arc::new(periapt_server::backups::NoBackups),
                limits: Default::default(),
                controller: ControllerIdentity {
                    uuid: CONTROLLER.parse().unwrap(),
                    name: "home".into(),
                    addresses: vec!["127.0.0.1:17070".into()],
                    ca_cert: String::new(),
                    database: "sqlite".into(),
                    started_at: 1,
                    node,
                },
                stop: StopSignal::new(),
                observation: Observation::new(clock.shared(), Spans::off()),
                upgrade: Upgrade::done(),
            })
        };
        let states = [state_of(0), state_of(1)];
        let admin: UserName = "admin".parse().unwrap();
        store.set_password(&admin, "a long password").await.unwrap();
        let model = AddModel::new("lab".parse().unwrap());
        let model = store.add_model(model, &admin).await.unwrap().uuid;
        let addresses = watch::Sender::new(vec!["127.0.0.1:17070".to_owned()]);
        Self {
            clock,
            store,
            state: states[0].clone(),
            other: states[1].clone(),
            leases,
            provider: Arc::default(),
            compiler,
            model,
            addresses,
            home,
            stop,
        }
    }

    /// What the engine of the model is given in one of the controller's two processes.
    pub fn context(&self, node: u32) -> ModelContext {
        ModelContext {
            uuid: self.model.clone(),
            controller: CONTROLLER.parse().unwrap(),
            claimant: format!("machine-{node}"),
            is_controller_model: false,
            connect: Arc::new(InProcess(match node {
                0 => self.state.clone(),
                _ => self.other.clone(),
            })),
            providers: Providers::default().with(local::KIND, One(Arc::clone(&self.provider))),
            cloud_type: local::KIND.to_owned(),
            api_addresses: self.addresses.subscribe(),
            agent_addresses: self.addresses.subscribe(),
            ca_cert: Arc::from("PEM"),
            agents_directory: self.home.path().join("agents"),
        }
    }

    pub fn engine(&self) -> DependencyEngine {
        model::engine(&self.context(0), self.clock.shared()).unwrap()
    }

    /// Polls in real time while virtual time passes in small steps, so that bounces and short
    /// pauses end.
    pub async fn until<T, F: Future<Output = Option<T>>>(
        &self,
        what: &str,
        mut probe: impl FnMut() -> F,
    ) -> T {
        for _ in 0..2000 {
            if let Some(found) = probe().await {
                return found;
            }
            self.clock.advance(Duration::from_millis(20));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("not within 20 s: {what}");
    }

    pub async fn until_running(&self, engine: &DependencyEngine, node: &str) {
        self.until(&format!("{node} runs, {:#?}", engine.report()), || async {
            (state(engine, node) == Some(NodeState::Started)).then_some(())
        })
        .await;
    }

    /// The URL of an uploaded charm.
    pub async fn charm(&self) -> String {
        let archive = archive();
        let read = periapt_model::charm::Archive::read(&archive).unwrap();
        let url = "local:site-0".parse().unwrap();
        let charm = self
            .store
            .add_charm(
                &self.model,
                read.info(url, vec!["start".into(), "commands/list".into()]),
                archive,
            )
            .await
            .unwrap();
        charm.url.to_string()
    }

    /// An application of it with `units` units.
    pub async fn deploy(&self, application: &str, units: u32) -> ApplicationName {
        let application: ApplicationName = application.parse().unwrap();
        let deploy = Deploy {
            channel: None,
            resources: Default::default(),
            trust: false,
            constraints: String::new(),
            placement: Vec::new(),
            application: application.clone(),
            charm: self.charm().await,
            units,
            config: Default::default(),
            storage: Default::default(),
            attach_storage: Vec::new(),
            capabilities: Default::default(),
        };
        self.store.deploy(&self.model, deploy).await.unwrap();
        application
    }

    pub async fn machines(&self) -> Vec<periapt_wire::agent::provisioner::MachineInfo> {
        self.store.get_machines(&self.model, &[]).await.unwrap()
    }

    /// The message of the instance status of machine 0, when it contains `text`.
    pub async fn machine_says(&self, text: &str) -> Option<String> {
        let machines = self.machines().await;
        let message = machines.first()?.instance_status.message.clone();
        message.contains(text).then_some(message)
    }

    pub async fn close(self, engine: DependencyEngine) {
        engine.kill();
        engine.wait().await.unwrap();
        self.state.shut_down();
        self.leases.stop();
        self.stop.cancel();
        self.store.close().await;
    }
}

pub fn state(engine: &DependencyEngine, node: &str) -> Option<NodeState> {
    engine.report().manifolds.get(node).map(|node| node.state)
}

pub fn machine(id: &str) -> MachineId {
    id.parse().unwrap()
}

pub fn archive() -> Bytes {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in [
        ("metadata.yaml", &b"name: site\nsummary: A site\n"[..]),
        ("charm.wasm", &b"\0asm\x0d\0\x01\0"[..]),
    ] {
        writer
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(content).unwrap();
    }
    Bytes::from(writer.finish().unwrap().into_inner())
}

struct InProcess(ServerState);

#[async_trait]
impl Connect for InProcess {
    async fn connect(&self, model: Option<&ModelUuid>) -> Result<ApiConnection, WorkerError> {
        Ok(rpc::in_process(
            &self.0,
            Identity::Controller {
                model: model.cloned(),
            },
        ))
    }
}

struct NoReports;

#[async_trait]
impl Reports for NoReports {
    async fn controller(&self) -> Vec<WorkerRow> {
        Vec::new()
    }
    async fn model(&self, _: &ModelUuid) -> Vec<WorkerRow> {
        Vec::new()
    }
}

/// Compiles anything, unless told to refuse.
#[derive(Default)]
pub struct Compiler {
    pub refuse: Mutex<Option<String>>,
}

#[async_trait]
impl CharmCompiler for Compiler {
    fn engine_hash(&self) -> String {
        "engine".into()
    }
    async fn compile(
        &self,
        _: Components<'_>,
        _: Option<Turn>,
    ) -> Result<CompiledCharm, CompileProblem> {
        match self.refuse.lock().unwrap().clone() {
            Some(message) => Err(CompileProblem {
                refusal: Refusal::ComponentInvalid,
                message,
            }),
            None => Ok(CompiledCharm {
                cwasm: b"code".to_vec(),
                hooks: vec!["start".into()],
                imports: Vec::new(),
                server_imports: Vec::new(),
                engine_hash: self.engine_hash(),
            }),
        }
    }
}
