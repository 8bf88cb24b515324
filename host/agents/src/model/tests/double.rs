//! A provider that records what it is asked, and the cloud that gives it to every model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use periapt_model::constraints::Hardware;
use periapt_model::reach::published::{Listening, Published};
use periapt_providers::{
    Applied, Environments, Filesystem, Filesystems, Firewall, Instance, InstanceId, InstanceState,
    Provider, ProviderError, SharedAgent, StartInstance, UpgradeOp,
};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

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
    /// Each instance has an agent of its own.
    pub apart: AtomicBool,
    config: Mutex<Option<Vec<u8>>>,
    /// Why the shared agent ended for good, if it did.
    pub ended: watch::Sender<Option<String>>,
    /// What each was started with.
    pub configs: Mutex<BTreeMap<String, Vec<u8>>>,
    instances: Mutex<BTreeMap<String, Instance>>,
    /// What the firewall was told, in its order.
    pub documents: Mutex<Vec<Option<Published>>>,
    pub applied: watch::Sender<Option<Applied>>,
    /// Sizes of directories, and whether each was given up.
    directories: Mutex<BTreeMap<String, (u64, bool)>>,
    /// How often the next directories cannot be made.
    pub no_directory: Mutex<u32>,
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

    /// Changes an instance as its provider would without being asked.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Instance)) {
        let mut instances = self.instances.lock().unwrap();
        change(instances.get_mut(name).unwrap());
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
    async fn start_instance(&self, request: StartInstance) -> Result<Instance, ProviderError> {
        self.note(format!("start {}", request.name));
        if request.name.contains("..") {
            return Err(ProviderError::InvalidName(request.name));
        }
        self.may()?;
        let has = Hardware {
            arch: "amd64".into(),
            cores: Some(2),
            mem: None,
        };
        if let Some(why) = request.constraints.unmet(&has) {
            return Err(ProviderError::ConstraintsUnmet(why));
        }
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
        let mut configs = self.configs.lock().unwrap();
        configs.insert(request.name.clone(), request.agent_config.clone());
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
        self.note("instances".into());
        Ok(self.instances.lock().unwrap().values().cloned().collect())
    }
    async fn destroy(&self) -> Result<(), ProviderError> {
        self.note("destroy".into());
        self.instances.lock().unwrap().clear();
        *self.config.lock().unwrap() = None;
        let mut directories = self.directories.lock().unwrap();
        directories.retain(|_, (_, given_up)| *given_up);
        Ok(())
    }
    fn firewall(&self) -> Option<&dyn Firewall> {
        Some(self)
    }
    fn shared_agent(&self) -> Option<&dyn SharedAgent> {
        (!self.apart.load(Ordering::SeqCst)).then_some(self)
    }
    fn filesystems(&self) -> Option<&dyn Filesystems> {
        Some(self)
    }
}

fn check_directory(filesystem: &Filesystem) -> Result<(), ProviderError> {
    let name = &filesystem.directory;
    match name.is_empty() || name.starts_with('.') || name.contains('/') {
        true => Err(ProviderError::InvalidDirectory(name.clone())),
        false => Ok(()),
    }
}

#[async_trait]
impl Filesystems for Double {
    async fn make(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        self.note(format!("make {}", filesystem.directory));
        check_directory(filesystem)?;
        {
            let mut failures = self.no_directory.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(ProviderError::Refused("the disc is full".into()));
            }
        }
        let made = (filesystem.size, false);
        let mut directories = self.directories.lock().unwrap();
        directories.insert(filesystem.directory.clone(), made);
        Ok(())
    }
    async fn import(&self, filesystem: &Filesystem) -> Result<u64, ProviderError> {
        self.note(format!("import {}", filesystem.directory));
        check_directory(filesystem)?;
        let mut directories = self.directories.lock().unwrap();
        match directories.get_mut(&filesystem.directory) {
            Some((size, given_up)) => {
                *given_up = false;
                Ok(*size)
            }
            None => {
                let path = filesystem.directory.clone().into();
                Err(ProviderError::NothingToImport(path))
            }
        }
    }
    async fn destroy(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        self.note(format!("destroy {}", filesystem.directory));
        check_directory(filesystem)?;
        let mut directories = self.directories.lock().unwrap();
        directories.remove(&filesystem.directory);
        Ok(())
    }
    async fn release(&self, filesystem: &Filesystem) -> Result<(), ProviderError> {
        self.note(format!("release {}", filesystem.directory));
        check_directory(filesystem)?;
        let mut directories = self.directories.lock().unwrap();
        if let Some((_, given_up)) = directories.get_mut(&filesystem.directory) {
            *given_up = true;
        }
        Ok(())
    }
}

#[async_trait]
impl SharedAgent for Double {
    async fn config(&self) -> Result<Option<Vec<u8>>, ProviderError> {
        Ok(self.config.lock().unwrap().clone())
    }
    async fn set_config(&self, config: Vec<u8>, restart: bool) -> Result<(), ProviderError> {
        self.note(format!("configure restart={restart}"));
        *self.config.lock().unwrap() = Some(config);
        Ok(())
    }
    fn ended(&self) -> watch::Receiver<Option<String>> {
        self.ended.subscribe()
    }
    async fn start_again(&self) -> Result<(), ProviderError> {
        self.note("again".into());
        self.ended.send_replace(None);
        Ok(())
    }
    async fn halt(&self) -> Result<(), ProviderError> {
        Ok(())
    }
}

/// Listens at 10,000 more for each port of each unit.
#[async_trait]
impl Firewall for Double {
    async fn apply(&self, document: Option<Published>) -> Result<Applied, ProviderError> {
        self.documents.lock().unwrap().push(document.clone());
        let listening = document.iter().flat_map(|document| {
            let units = document.network.units.iter();
            units.flat_map(|(name, unit)| {
                let ports = unit.openings.ranges();
                ports.map(|port| Listening {
                    unit: name.clone(),
                    port,
                    address: (document.addresses[name], port.start + 10_000).into(),
                })
            })
        });
        let applied = Applied {
            number: 1,
            ingress: document.as_ref().map(|document| document.ingress),
            ingress_failed: None,
            listening: listening.collect(),
            not_listening: Vec::new(),
        };
        self.applied.send_replace(Some(applied.clone()));
        Ok(applied)
    }
    fn applied(&self) -> watch::Receiver<Option<Applied>> {
        self.applied.subscribe()
    }
}

pub struct One(pub Arc<Double>);

impl Environments for One {
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

/// What the workers are tested with keeps what they are promised.
#[tokio::test]
async fn the_double_passes_the_suite_of_providers() {
    for apart in [false, true] {
        let double = Arc::new(Double::default());
        double.apart.store(apart, Ordering::SeqCst);
        periapt_providers::suite::run(double).await;
    }
}
