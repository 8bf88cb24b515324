//! Machines that are tasks of this process: one agent for each model, on the scenario's clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use periapt_agents::host::{self, AgentOptions};
use periapt_engine::SharedClock;
use periapt_model::reach::published::Published;
use periapt_providers::local::Records;
use periapt_providers::{
    Applied, Environments, Filesystem, Filesystems, Firewall, Instance, InstanceId, InstanceState,
    Provider, ProviderError, SharedAgent, StartInstance,
};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What all models of a scenario share.
#[derive(Clone)]
pub struct Machines {
    pub directory: PathBuf,
    pub clock: SharedClock,
    open: Arc<Mutex<BTreeMap<String, Arc<ModelMachines>>>>,
    /// Agents do not run, whoever starts a machine.
    down: Arc<AtomicBool>,
}

impl Machines {
    pub fn new(directory: PathBuf, clock: SharedClock) -> Self {
        Self {
            directory,
            clock,
            open: Arc::default(),
            down: Arc::default(),
        }
    }

    /// Ends the agents of all models and lets none start.
    pub async fn keep_down(&self) {
        self.down.store(true, Ordering::SeqCst);
        self.halt_all().await;
    }

    /// Starts the agents of all models that have machines.
    pub async fn bring_up(&self) -> Result<(), ProviderError> {
        self.down.store(false, Ordering::SeqCst);
        for machines in self.opened() {
            if let Some(config) = machines.records.config()?
                && !machines.names().is_empty()
            {
                machines.run_agent(&config).await?;
            }
        }
        Ok(())
    }

    /// Who reaches whom in a model, as its firewaller said last; none where nothing has a container.
    pub fn document(&self, model: &str) -> Option<Published> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.get(model)?.document.borrow().clone()
    }

    fn opened(&self) -> Vec<Arc<ModelMachines>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().cloned().collect()
    }

    /// Ends the agents of all models, as a power cut of their machines would, and waits.
    pub async fn halt_all(&self) {
        for machines in self.opened() {
            machines.halt_agent().await;
        }
    }
}

impl Environments for Machines {
    fn open(&self, environment: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let machines = open.entry(environment.to_owned()).or_insert_with(|| {
            Arc::new(ModelMachines {
                environment: environment.to_owned(),
                records: Records::new(self.directory.join(environment)),
                shared: self.clone(),
                instances: Mutex::default(),
                agent: tokio::sync::Mutex::default(),
                document: watch::Sender::new(None),
            })
        });
        Ok(machines.clone())
    }
}

struct Agent {
    config: Vec<u8>,
    stopping: CancellationToken,
    task: JoinHandle<()>,
}

struct ModelMachines {
    environment: String,
    records: Records,
    shared: Machines,
    instances: Mutex<BTreeSet<String>>,
    agent: tokio::sync::Mutex<Option<Agent>>,
    document: watch::Sender<Option<Published>>,
}

impl ModelMachines {
    fn names(&self) -> BTreeSet<String> {
        let instances = self
            .instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        instances.clone()
    }

    fn instance(&self, name: &str) -> Instance {
        Instance {
            id: InstanceId::new(format!("test-{}-{name}", self.environment)),
            name: name.to_owned(),
            state: InstanceState::Running,
            addresses: vec!["127.0.0.1".to_owned()],
            hardware: "arch=wasm".to_owned(),
        }
    }

    async fn run_agent(&self, config: &[u8]) -> Result<(), ProviderError> {
        let mut agent = self.agent.lock().await;
        if agent
            .as_ref()
            .is_some_and(|agent| agent.config == config && !agent.task.is_finished())
        {
            return Ok(());
        }
        end(agent.take()).await;
        self.records.create()?;
        self.records.set_config(config)?;
        if self.shared.down.load(Ordering::SeqCst) {
            return Ok(());
        }
        let file = self.records.config_file();
        let stopping = CancellationToken::new();
        let options = AgentOptions {
            clock: self.shared.clock.clone(),
            stopping: stopping.clone(),
        };
        let task = tokio::spawn(async move {
            if let Err(error) = host::run(&file, options).await {
                tracing::error!(%error, "the agent ended");
            }
        });
        *agent = Some(Agent {
            config: config.to_vec(),
            stopping,
            task,
        });
        Ok(())
    }

    async fn halt_agent(&self) {
        end(self.agent.lock().await.take()).await;
    }
}

async fn end(agent: Option<Agent>) {
    if let Some(agent) = agent {
        agent.stopping.cancel();
        // An agent that does not end is left to the end of the process.
        let _ = tokio::time::timeout(std::time::Duration::from_secs(20), agent.task).await;
    }
}

#[async_trait]
impl Provider for ModelMachines {
    async fn check_credential(&self) -> Result<(), ProviderError> {
        self.records.check_writable()
    }

    fn describe(&self) -> Value {
        json!({ "provider": "test", "instances": self.names() })
    }

    async fn start_instance(&self, request: StartInstance) -> Result<Instance, ProviderError> {
        self.run_agent(&request.agent_config).await?;
        let instance = self.instance(&request.name);
        self.instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(request.name);
        Ok(instance)
    }

    async fn stop_instance(&self, id: &InstanceId) -> Result<(), ProviderError> {
        let empty = {
            let mut instances = self
                .instances
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            instances.retain(|name| self.instance(name).id != *id);
            instances.is_empty()
        };
        if empty {
            self.halt_agent().await;
            self.records.remove_units().await?;
        }
        Ok(())
    }

    async fn instances(&self) -> Result<Vec<Instance>, ProviderError> {
        let names = self.names();
        Ok(names.iter().map(|name| self.instance(name)).collect())
    }

    async fn destroy(&self) -> Result<(), ProviderError> {
        self.halt_agent().await;
        self.instances
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        self.records.remove().await
    }

    fn firewall(&self) -> Option<&dyn Firewall> {
        Some(self)
    }

    fn filesystems(&self) -> Option<&dyn Filesystems> {
        Some(self)
    }

    fn shared_agent(&self) -> Option<&dyn SharedAgent> {
        Some(self)
    }
}

impl ModelMachines {
    /// The directory of a storage, below that of the model's agent.
    fn storage(&self, filesystem: &Filesystem) -> Result<PathBuf, ProviderError> {
        let name = filesystem.directory.as_str();
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(ProviderError::InvalidDirectory(name.to_owned()));
        }
        let agent = self.shared.directory.join(&self.environment);
        Ok(agent.join("storage").join(name))
    }
}

/// Plain directories, whatever the pool: nothing is mounted, and no size is held.
#[async_trait]
impl Filesystems for ModelMachines {
    async fn make(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        let path = self.storage(filesystem)?;
        std::fs::create_dir_all(&path).map_err(file("make", path))
    }

    async fn import(&self, filesystem: &Filesystem) -> Result<u64, ProviderError> {
        let path = self.storage(filesystem)?;
        match path.is_dir() {
            true => Ok(filesystem.size.max(1)),
            false => Err(ProviderError::NothingToImport(path)),
        }
    }

    async fn destroy(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        let path = self.storage(filesystem)?;
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(file("remove", path)),
        }
    }

    async fn release(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        self.storage(filesystem).map(drop)
    }
}

fn file(doing: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> ProviderError {
    move |source| ProviderError::File {
        doing,
        path,
        source,
    }
}

/// Nothing listens: a scenario asks by itself, and what it reaches follows from the document.
#[async_trait]
impl Firewall for ModelMachines {
    async fn apply(&self, document: Option<Published>) -> Result<Applied, ProviderError> {
        self.document.send_replace(document);
        Ok(Applied::default())
    }

    fn applied(&self) -> watch::Receiver<Option<Applied>> {
        watch::channel(None).1
    }
}

#[async_trait]
impl SharedAgent for ModelMachines {
    async fn config(&self) -> Result<Option<Vec<u8>>, ProviderError> {
        self.records.config()
    }

    async fn set_config(&self, config: Vec<u8>, restart: bool) -> Result<(), ProviderError> {
        if restart && !self.names().is_empty() {
            return self.run_agent(&config).await;
        }
        self.records.set_config(&config)?;
        if let Some(agent) = self.agent.lock().await.as_mut() {
            agent.config = config;
        }
        Ok(())
    }

    fn ended(&self) -> watch::Receiver<Option<String>> {
        watch::channel(None).1
    }

    async fn start_again(&self) -> Result<(), ProviderError> {
        Ok(())
    }

    async fn halt(&self) -> Result<(), ProviderError> {
        self.halt_agent().await;
        Ok(())
    }
}
