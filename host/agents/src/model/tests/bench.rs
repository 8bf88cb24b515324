//! A model engine on a real store and the real API, with time that the test moves and a provider
//! that records what it is asked.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use periapt_engine::{DependencyEngine, FakeClock, NodeState, WorkerError};
use periapt_model::{ApplicationName, MachineId, ModelUuid, UserName};
use periapt_providers::{
    Instance, InstanceId, InstanceState, Provider, ProviderError, Providers, StartInstance,
    UpgradeOp,
};
use periapt_server::{
    Authenticator, CharmCompiler, CompileProblem, CompiledCharm, ControllerIdentity, Feed,
    Identity, ModelCache, Observation, Presence, Recorder, Reports, ServerOptions, ServerState,
    StopSignal, Turn, Upgrade, rpc,
};
use periapt_store::{Store, StoreOptions, lease};
use periapt_telemetry::Spans;
use periapt_wire::ApiConnection;
use periapt_wire::rest::{AddModel, Deploy, WorkerRow};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

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
        let model = AddModel {
            name: "lab".parse().unwrap(),
            config: Default::default(),
        };
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
            providers: Arc::new(One(Arc::clone(&self.provider))),
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
            .add_charm(&self.model, read.info(url, vec!["start".into()]), archive)
            .await
            .unwrap();
        charm.url.to_string()
    }

    /// An application of it with `units` units.
    pub async fn deploy(&self, application: &str, units: u32) -> ApplicationName {
        let application: ApplicationName = application.parse().unwrap();
        let deploy = Deploy {
            placement: Vec::new(),
            application: application.clone(),
            charm: self.charm().await,
            units,
            config: Default::default(),
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
    async fn compile(&self, _: &[u8], _: Option<Turn>) -> Result<CompiledCharm, CompileProblem> {
        match self.refuse.lock().unwrap().clone() {
            Some(message) => Err(CompileProblem {
                code: "component-invalid".into(),
                message,
            }),
            None => Ok(CompiledCharm {
                cwasm: b"code".to_vec(),
                hooks: vec!["start".into()],
                engine_hash: self.engine_hash(),
            }),
        }
    }
}

/// Records what it is asked, fails as often as told and, when held, answers only when released.
#[derive(Default)]
pub struct Double {
    pub calls: Mutex<Vec<String>>,
    pub failures: Mutex<u32>,
    pub held: Mutex<bool>,
    pub released: Notify,
    /// The credential.
    pub refuses: AtomicBool,
    /// The second step of two.
    pub cannot_upgrade: AtomicBool,
    config: Mutex<Option<Vec<u8>>>,
    instances: Mutex<BTreeMap<String, Instance>>,
}

impl Double {
    pub fn calls(&self, prefix: &str) -> usize {
        self.calls
            .lock()
            .unwrap()
            .iter()
            .filter(|call| call.starts_with(prefix))
            .count()
    }

    pub fn names(&self) -> Vec<String> {
        self.instances.lock().unwrap().keys().cloned().collect()
    }

    /// An instance that nobody of the model asked for.
    pub fn stray(&self, name: &str) {
        let instance = instance(name);
        self.instances
            .lock()
            .unwrap()
            .insert(name.to_owned(), instance);
    }

    fn may(&self) -> Result<(), ProviderError> {
        if self.refuses.load(Ordering::SeqCst) {
            let why = "the door is locked".to_owned();
            return Err(ProviderError::CredentialRefused(why));
        }
        Ok(())
    }

    fn note(&self, call: String) {
        self.calls.lock().unwrap().push(call);
    }
}

fn instance(name: &str) -> Instance {
    Instance {
        id: InstanceId::new(format!("double-{name}")),
        name: name.to_owned(),
        state: InstanceState::Running,
        addresses: vec!["127.0.0.1".into()],
        hardware: "arch=amd64".into(),
    }
}

#[async_trait]
impl Provider for Double {
    fn kind(&self) -> &'static str {
        "double"
    }
    async fn upgrade(&self, op: &UpgradeOp) -> Result<(), ProviderError> {
        self.note(format!("upgrade {}", op.name));
        if op.version == 2 && self.cannot_upgrade.load(Ordering::SeqCst) {
            return Err(ProviderError::Refused("the wall is too thick".into()));
        }
        Ok(())
    }
    async fn check_credential(&self) -> Result<(), ProviderError> {
        self.note("check".into());
        self.may()
    }
    fn describe(&self) -> Value {
        json!({ "instances": self.names() })
    }
    async fn agent_config(&self) -> Result<Option<Vec<u8>>, ProviderError> {
        Ok(self.config.lock().unwrap().clone())
    }
    async fn set_agent_config(&self, config: Vec<u8>, restart: bool) -> Result<(), ProviderError> {
        self.note(format!("configure restart={restart}"));
        *self.config.lock().unwrap() = Some(config);
        Ok(())
    }
    async fn start_instance(&self, request: StartInstance) -> Result<Instance, ProviderError> {
        self.note(format!("start {}", request.name));
        self.may()?;
        if *self.held.lock().unwrap() {
            self.released.notified().await;
        }
        {
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(ProviderError::Refused("no room".into()));
            }
        }
        *self.config.lock().unwrap() = Some(request.agent_config);
        self.stray(&request.name);
        Ok(instance(&request.name))
    }
    async fn stop_instance(&self, id: &InstanceId) -> Result<(), ProviderError> {
        self.note(format!("stop {id}"));
        self.instances
            .lock()
            .unwrap()
            .retain(|_, instance| instance.id != *id);
        Ok(())
    }
    async fn instances(&self) -> Result<Vec<Instance>, ProviderError> {
        Ok(self.instances.lock().unwrap().values().cloned().collect())
    }
    async fn halt(&self) -> Result<(), ProviderError> {
        Ok(())
    }
    async fn destroy(&self) -> Result<(), ProviderError> {
        self.note("destroy".into());
        self.instances.lock().unwrap().clear();
        Ok(())
    }
}

struct One(Arc<Double>);

impl Providers for One {
    fn upgrade_ops(&self) -> &'static [UpgradeOp] {
        &[
            UpgradeOp {
                version: 1,
                name: "first",
            },
            UpgradeOp {
                version: 2,
                name: "second",
            },
        ]
    }
    fn open(&self, _: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        Ok(Arc::clone(&self.0) as Arc<dyn Provider>)
    }
}
