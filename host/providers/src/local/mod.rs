//! Machines that are places in one agent process on this machine.
//!
//! One environment, one process: it hosts all instances of the environment, so the process wall
//! stands between environments and an idle instance costs no process. The process starts with
//! the first instance and ends with the last one. It runs in a session of its own and outlives
//! the controller; killed, it is started again, at first at once and then ever more slowly. One
//! that says it ended for good stays down until it is asked for by [`SharedAgent::start_again`].
//!
//! What it never does: it does not tell the agent which instances it hosts. The agent learns that
//! from the controller, as every agent does.

mod cgroup;
mod closing;
mod filesystems;
mod process;
mod records;
mod supervisor;
#[cfg(test)]
mod tests;
mod workloads;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use periapt_engine::SharedClock;
use periapt_model::constraints::Hardware;
use periapt_model::reach::published::Published;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot, watch};

use cgroup::Cgroup;
use closing::close;
use filesystems::LocalFilesystems;
pub use process::Program;
pub use records::Records;
pub use supervisor::Patience;

use crate::{
    Applied, Environments, Filesystems, Firewall, Instance, InstanceId, InstanceState, Provider,
    ProviderError, SharedAgent, StartInstance, UpgradeOp,
};
use supervisor::{Reply, Request, Supervisor};
use workloads::Workloads;

/// The kind of a cloud that is this very machine.
pub const KIND: &str = "local";

/// What all environments of a controller share.
#[derive(Clone)]
pub struct LocalOptions {
    /// Each environment gets a directory of its name in here.
    pub directory: PathBuf,
    /// The agent. The path of the configuration file is added as the last argument.
    pub program: Program,
    /// What carries out who is reached from outside, for all environments. The path of its directory is
    /// added as the last argument.
    pub workloads: Program,
    pub patience: Patience,
    pub clock: SharedClock,
}

impl LocalOptions {
    fn workloads(&self) -> Arc<Workloads> {
        Arc::new(Workloads::new(
            self.directory.clone(),
            self.workloads.clone(),
            self.patience,
            Arc::clone(&self.clock),
        ))
    }
}

/// The local providers of all environments.
pub struct LocalProviders {
    workloads: Arc<Workloads>,
    options: LocalOptions,
    open: Mutex<BTreeMap<String, Weak<LocalProvider>>>,
}

impl LocalProviders {
    pub fn new(options: LocalOptions) -> Self {
        Self {
            workloads: options.workloads(),
            options,
            open: Mutex::default(),
        }
    }
}

/// What became of environments that earlier versions made.
const UPGRADES: &[UpgradeOp] = &[UpgradeOp {
    version: 1,
    name: "close-directory",
}];

impl Environments for LocalProviders {
    fn upgrade_ops(&self) -> &'static [UpgradeOp] {
        UPGRADES
    }

    fn open(&self, environment: &str) -> Result<Arc<dyn Provider>, ProviderError> {
        check_name(environment)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, provider| provider.strong_count() > 0);
        if let Some(provider) = open.get(environment).and_then(Weak::upgrade) {
            return Ok(provider);
        }
        let workloads = Arc::clone(&self.workloads);
        let provider = LocalProvider::open(environment, &self.options, workloads);
        let provider = Arc::new(provider);
        open.insert(environment.to_owned(), Arc::downgrade(&provider));
        Ok(provider)
    }
}

/// The provider of one environment. Dropping it stops the watch over its agent, not the agent.
pub struct LocalProvider {
    environment: String,
    records: Records,
    filesystems: LocalFilesystems,
    requests: mpsc::Sender<Request>,
    workloads: Arc<Workloads>,
    shown: Arc<Mutex<Value>>,
    ended: watch::Receiver<Option<String>>,
}

impl LocalProvider {
    /// Takes up the environment where an earlier process left it. Must be called within a tokio
    /// runtime.
    fn open(environment: &str, options: &LocalOptions, workloads: Arc<Workloads>) -> Self {
        let (requests, receiver) = mpsc::channel(64);
        let records = Records::new(options.directory.join(environment));
        let shown = Arc::new(Mutex::new(Value::Null));
        let (ending, ended) = watch::channel(None);
        let supervisor = Supervisor {
            records: records.clone(),
            program: options.program.clone(),
            patience: options.patience,
            clock: Arc::clone(&options.clock),
            shown: Arc::clone(&shown),
            cgroup: Cgroup::of(environment, hardware().mem),
            agent: None,
            instances: Default::default(),
            started_at: Duration::ZERO,
            starts: 0,
            deaths: 0,
            restart_at: None,
            last_end: None,
            ended: ending,
        };
        tokio::spawn(supervisor.run(receiver));
        Self {
            environment: environment.to_owned(),
            filesystems: LocalFilesystems::new(
                records.directory().to_owned(),
                Arc::clone(&options.clock),
            ),
            records,
            requests,
            workloads,
            shown,
            ended,
        }
    }

    async fn ask<T>(&self, request: impl FnOnce(Reply<T>) -> Request) -> Result<T, ProviderError> {
        let (reply, answer) = oneshot::channel();
        self.requests
            .send(request(reply))
            .await
            .map_err(|_| ProviderError::Closed)?;
        answer.await.map_err(|_| ProviderError::Closed)?
    }

    fn prefix(&self) -> String {
        format!("local-{}-", self.environment)
    }

    fn instance(&self, name: &str, running: bool) -> Instance {
        Instance {
            id: InstanceId::new(format!("{}{name}", self.prefix())),
            name: name.to_owned(),
            state: if running {
                InstanceState::Running
            } else {
                InstanceState::Down
            },
            addresses: vec!["127.0.0.1".to_owned()],
            hardware: hardware().to_string(),
        }
    }
}

#[async_trait]
impl Provider for LocalProvider {
    async fn upgrade(&self, op: &UpgradeOp) -> Result<(), ProviderError> {
        match op.version {
            1 => self.records.close(),
            _ => Ok(()),
        }
    }

    /// What the local provider needs is a directory of its own in which it may write.
    async fn check_credential(&self) -> Result<(), ProviderError> {
        self.records.check_writable()
    }

    fn describe(&self) -> Value {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn start_instance(&self, request: StartInstance) -> Result<Instance, ProviderError> {
        check_name(&request.name)?;
        if let Some(why) = request.constraints.unmet(&hardware()) {
            return Err(ProviderError::ConstraintsUnmet(why));
        }
        let name = request.name.clone();
        let config = request.agent_config;
        let running = self
            .ask(|reply| Request::Start {
                name,
                config,
                reply,
            })
            .await?;
        Ok(self.instance(&request.name, running))
    }

    async fn stop_instance(&self, id: &InstanceId) -> Result<(), ProviderError> {
        match id.as_str().strip_prefix(&self.prefix()) {
            Some(name) => {
                let name = name.to_owned();
                self.ask(|reply| Request::Stop { name, reply }).await
            }
            // Of another environment or provider: nothing of that name is here.
            None => Ok(()),
        }
    }

    async fn instances(&self) -> Result<Vec<Instance>, ProviderError> {
        let (names, running) = self.ask(|reply| Request::List { reply }).await?;
        Ok(names
            .iter()
            .map(|name| self.instance(name, running))
            .collect())
    }

    async fn destroy(&self) -> Result<(), ProviderError> {
        self.workloads.apply(&self.environment, None).await?;
        self.ask(|reply| Request::Destroy { reply }).await
    }

    fn firewall(&self) -> Option<&dyn Firewall> {
        Some(self)
    }

    fn filesystems(&self) -> Option<&dyn Filesystems> {
        Some(&self.filesystems)
    }

    fn shared_agent(&self) -> Option<&dyn SharedAgent> {
        Some(self)
    }
}

#[async_trait]
impl SharedAgent for LocalProvider {
    async fn config(&self) -> Result<Option<Vec<u8>>, ProviderError> {
        self.records.config()
    }

    async fn set_config(&self, config: Vec<u8>, restart: bool) -> Result<(), ProviderError> {
        self.ask(|reply| Request::Configure {
            config,
            restart,
            reply,
        })
        .await
    }

    fn ended(&self) -> watch::Receiver<Option<String>> {
        self.ended.clone()
    }

    async fn start_again(&self) -> Result<(), ProviderError> {
        self.ask(|reply| Request::StartAgain { reply }).await
    }

    async fn halt(&self) -> Result<(), ProviderError> {
        self.ask(|reply| Request::Halt { reply }).await?;
        // What its units serve goes with it, until the firewaller hands over a document again.
        self.workloads
            .apply(&self.environment, None)
            .await
            .map(drop)
    }
}

/// The model's workers are over here; what is reached stays so.
impl Drop for LocalProvider {
    fn drop(&mut self) {
        self.workloads.forget(&self.environment);
    }
}

#[async_trait]
impl Firewall for LocalProvider {
    async fn apply(&self, document: Option<Published>) -> Result<Applied, ProviderError> {
        // Only here it is known where the agent has its files.
        let document = document.map(|document| Published {
            directory: self.records.directory().to_owned(),
            ..document
        });
        self.workloads.apply(&self.environment, document).await
    }

    fn applied(&self) -> watch::Receiver<Option<Applied>> {
        self.workloads.applied(&self.environment)
    }
}

/// Names become directory names and parts of ids.
fn check_name(name: &str) -> Result<(), ProviderError> {
    let sound = !name.is_empty()
        && !name.starts_with(['.', '/'])
        && !name.contains("..")
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._/-".contains(c));
    if sound {
        Ok(())
    } else {
        Err(ProviderError::InvalidName(name.to_owned()))
    }
}

/// What this machine has.
fn hardware() -> Hardware {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64el",
        other => other,
    };
    let cores = std::thread::available_parallelism().ok();
    let memory = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let kib: u64 = text
                .lines()
                .find_map(|line| line.strip_prefix("MemTotal:"))?
                .trim()
                .strip_suffix(" kB")?
                .parse()
                .ok()?;
            Some(kib / 1024)
        });
    Hardware {
        arch: arch.to_owned(),
        cores: cores.and_then(|cores| u64::try_from(cores.get()).ok()),
        mem: memory,
    }
}
