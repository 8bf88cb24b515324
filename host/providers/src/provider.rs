//! The trait, and the plain values that pass through it.

use std::collections::BTreeMap;
use std::fmt;

use async_trait::async_trait;
use periapt_model::constraints::Constraints;
use periapt_model::reach::published::{Answer, Published};
use periapt_model::storage::PoolKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use crate::ProviderError;

/// What a provider calls one of its instances.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(String);

impl InstanceId {
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A request for one instance.
#[derive(Clone)]
pub struct StartInstance {
    /// What the caller calls it: unique in the environment. The same name gives the same
    /// instance, so a request may be repeated.
    pub name: String,
    /// What the agent on the instance needs to know, as its configuration file. It holds a
    /// password and is never logged.
    pub agent_config: Vec<u8>,
    /// What it has to be like. A provider refuses what it knows that it cannot honour
    /// ([`ProviderError::ConstraintsUnmet`]) and passes over what means nothing to it.
    pub constraints: Constraints,
}

impl fmt::Debug for StartInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartInstance")
            .field("name", &self.name)
            .field("constraints", &self.constraints)
            .finish_non_exhaustive()
    }
}

/// Whether an instance does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InstanceState {
    Running,
    /// It exists, and what runs on it is down at the moment.
    Down,
}

/// An instance as its provider sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    pub id: InstanceId,
    /// The name it was asked for under.
    pub name: String,
    pub state: InstanceState,
    pub addresses: Vec<String>,
    /// `arch=amd64 cores=2 mem=4096M`, as far as known.
    pub hardware: String,
}

/// A step that brings what a provider keeps for an environment up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UpgradeOp {
    /// What the environment is at afterwards; each step's is higher than the one before.
    pub version: u32,
    /// `close-directory`
    pub name: &'static str,
}

/// Gives and takes back the instances of one environment. All calls may be repeated: starting
/// what runs and stopping what is gone succeed.
///
/// What only some providers have is a part of its own, behind a method that says whether it is
/// there. Nobody asks for the kind of a provider to know what it can do.
#[async_trait]
pub trait Provider: Send + Sync + 'static {
    /// Carries out one step. It may have been carried out before.
    async fn upgrade(&self, _op: &UpgradeOp) -> Result<(), ProviderError> {
        Ok(())
    }

    /// Makes sure that instances could be made: that the credential is not refused.
    async fn check_credential(&self) -> Result<(), ProviderError>;

    /// Its state for a person who looks at the workers' report. Holds no secret.
    fn describe(&self) -> Value;

    /// Makes sure that the instance exists and its agent runs. An instance that failed to start
    /// does not exist.
    async fn start_instance(&self, request: StartInstance) -> Result<Instance, ProviderError>;

    /// Ends the instance and what runs on it.
    async fn stop_instance(&self, id: &InstanceId) -> Result<(), ProviderError>;

    /// All instances of the environment, by id.
    async fn instances(&self) -> Result<Vec<Instance>, ProviderError>;

    /// Ends all instances and removes everything the provider ever made for the environment.
    async fn destroy(&self) -> Result<(), ProviderError>;

    /// The one agent of all instances, where there is one. Without it every instance has an agent
    /// of its own, which is started with what [`StartInstance`] says.
    fn shared_agent(&self) -> Option<&dyn SharedAgent> {
        None
    }

    /// What carries out who is reached from outside, where something does.
    fn firewall(&self) -> Option<&dyn Firewall> {
        None
    }

    /// What makes directories of storage, where something does.
    fn filesystems(&self) -> Option<&dyn Filesystems> {
        None
    }
}

/// A directory of storage, as its provider is asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filesystem {
    /// Its name, unique in the environment and never given to another.
    pub directory: String,
    pub kind: PoolKind,
    /// MiB. Where the kind has a limit, no more than that fits into it.
    pub size: u64,
    pub attributes: BTreeMap<String, String>,
    /// Whoever asks was told that it is there.
    pub made: bool,
}

/// Makes an environment's directories of storage and takes them back. All calls may be repeated. What is in a
/// directory belongs to whoever runs the environment's units.
#[async_trait]
pub trait Filesystems: Send + Sync {
    /// Makes sure that it is there, and empty unless it is one that ends with its unit. What is in one of that name
    /// already is somebody's, and is given to nobody.
    async fn make(&self, filesystem: &Filesystem) -> Result<(), ProviderError>;

    /// Makes sure that one which was there before is there, also after the machine has started anew; its size, MiB.
    /// Never makes one.
    async fn import(&self, filesystem: &Filesystem) -> Result<u64, ProviderError>;

    /// Removes it with what is in it. What is in one that never was said to be there is somebody else's, and stays.
    async fn destroy(&self, filesystem: &Filesystem) -> Result<(), ProviderError>;

    /// Gives it up: it stays as it is, also when the environment is destroyed, until it is imported.
    async fn release(&self, filesystem: &Filesystem) -> Result<(), ProviderError>;
}

/// What holds of a document: what listens where, and what does not, and why.
pub type Applied = Answer;

/// Carries out who reaches an environment's units from outside.
#[async_trait]
pub trait Firewall: Send + Sync {
    /// Makes it so, and answers once it is: what was closed refuses. With none nothing is reached. Asked
    /// again for the same it changes nothing.
    async fn apply(&self, document: Option<Published>) -> Result<Applied, ProviderError>;

    /// What holds, as far as it was told in this process: it may become another by itself, as when
    /// something else has taken a port meanwhile.
    fn applied(&self) -> watch::Receiver<Option<Applied>>;
}

/// One agent process that hosts all instances of an environment and is the provider's to keep
/// running.
#[async_trait]
pub trait SharedAgent: Send + Sync {
    /// The configuration that it was last started with, none in a fresh environment. From it the
    /// caller sees whether the agent's credential still has to be made.
    async fn config(&self) -> Result<Option<Vec<u8>>, ProviderError>;

    /// Replaces the configuration that it is started with. An agent that runs goes on with the
    /// one it has, unless `restart` says that it cannot: then it ends and starts anew.
    async fn set_config(&self, config: Vec<u8>, restart: bool) -> Result<(), ProviderError>;

    /// Why it ended for good, if it did: then nothing but [`SharedAgent::start_again`] starts it.
    fn ended(&self) -> watch::Receiver<Option<String>>;

    /// A person wants an agent that ended for good to run again.
    async fn start_again(&self) -> Result<(), ProviderError>;

    /// Ends it and keeps the instances: it runs again when one of them is started again, or when
    /// the environment is opened anew.
    async fn halt(&self) -> Result<(), ProviderError>;
}
