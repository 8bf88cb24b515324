//! The controller's place in a test: the unit's facts, kept in memory, and the host's own hook
//! transaction on top of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use periapt_contract::metrics::{Collected, Kind, Sample};
use periapt_contract::payloads::Payload;
use periapt_contract::ports::Openings;
use periapt_contract::secret::SecretId;
use periapt_contract::storage::StorageId;
use periapt_contract::{CallError, CallErrorCode, Effects, HookTxn};
use periapt_declared::Declared;

use self::{leadership as leader, relation as relations, secret as secrets};
use super::relations::TestRelation;
use crate::config::ConfigHost;
use crate::goal_state::GoalStateHost;
use crate::log::LogHost;
use crate::network::NetworkHost;
use crate::{
    CloudAccess, ErrorCode, GoalState, Hook, HostError, Level, Network, Status, StatusKind, Value,
};

mod action;
mod clock;
mod credential;
mod leadership;
mod metrics;
mod payloads;
mod ports;
mod reboot;
mod relation;
mod resources;
mod secret;
mod state;
mod status;
mod storage;
mod unit;
mod workload;

pub(super) use secret::TestSecret;
pub(super) use storage::{Declaration, TestStorage};
pub(super) use workload::TestContainer;

pub(super) struct TestHost {
    pub unit: String,
    /// Of its machine.
    pub address: String,
    pub now: SystemTime,
    /// What the charm's files say.
    pub declared: Option<Declared>,
    /// What the charm says it has.
    pub endpoints: Vec<String>,
    pub config: BTreeMap<String, Value>,
    pub leader: bool,
    pub unit_status: Status,
    pub application_status: Status,
    pub workload_version: Option<String>,
    pub state: BTreeMap<String, String>,
    /// What the charm declares that it runs by itself: types by class.
    pub payload_classes: BTreeMap<String, String>,
    pub payloads: Vec<Payload>,
    pub ports: Openings,
    pub log: Vec<(Level, String)>,
    pub relations: BTreeMap<u64, TestRelation>,
    pub next_relation: u64,
    pub leader_settings: BTreeMap<String, String>,
    /// That it is trusted with.
    pub cloud: Option<CloudAccess>,
    pub goal_state: GoalState,
    pub networks: BTreeMap<String, Network>,
    /// Files by the names of resources.
    pub resources: BTreeMap<String, PathBuf>,
    /// By their ids without `secret:`.
    pub secrets: BTreeMap<SecretId, TestSecret>,
    /// So many ids were made.
    pub made_secrets: u64,
    /// What the charm declares of storage.
    pub declared_storage: BTreeMap<String, Declaration>,
    pub storage: BTreeMap<StorageId, TestStorage>,
    pub next_storage: u64,
    /// Where its directories are.
    pub storage_root: PathBuf,
    /// What the running hook is about.
    pub hook_storage: Option<StorageId>,
    pub containers: BTreeMap<String, TestContainer>,
    /// What the charm declares that it measures.
    pub metrics: BTreeMap<String, Kind>,
    /// What was measured last.
    pub samples: Vec<Sample>,
    pub tasks: action::Tasks,
    /// What became of the reboots that were asked for.
    pub reboots: reboot::Reboots,
    /// The hook that runs, if it may do next to nothing.
    restricted: Option<Hook>,
    /// What the running `collect-metrics` added, if that is the hook that runs.
    collecting: Option<Collected>,
    /// What the running hook asked for.
    txn: HookTxn,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            unit: "test/0".to_owned(),
            address: "127.0.0.1".to_owned(),
            now: SystemTime::now(),
            declared: None,
            endpoints: Vec::new(),
            config: BTreeMap::new(),
            leader: false,
            unit_status: Status::waiting("installing agent"),
            application_status: Status::new(StatusKind::Unknown, ""),
            workload_version: None,
            state: BTreeMap::new(),
            payload_classes: BTreeMap::new(),
            payloads: Vec::new(),
            ports: Openings::default(),
            log: Vec::new(),
            relations: BTreeMap::new(),
            next_relation: 0,
            leader_settings: BTreeMap::new(),
            cloud: None,
            goal_state: GoalState::default(),
            networks: BTreeMap::new(),
            resources: BTreeMap::new(),
            secrets: BTreeMap::new(),
            made_secrets: 0,
            declared_storage: BTreeMap::new(),
            storage: BTreeMap::new(),
            next_storage: 0,
            storage_root: PathBuf::new(),
            hook_storage: None,
            containers: BTreeMap::new(),
            metrics: BTreeMap::new(),
            samples: Vec::new(),
            tasks: action::Tasks::default(),
            reboots: reboot::Reboots::default(),
            restricted: None,
            collecting: None,
            txn: HookTxn::default(),
        }
    }
}

impl TestHost {
    pub fn begin(&mut self, restricted: Option<Hook>) {
        self.txn = HookTxn::default();
        self.restricted = restricted;
        self.hook_storage = None;
        let collects = restricted == Some(Hook::CollectMetrics);
        self.collecting = collects.then(|| Collected::of(self.metrics.clone()));
    }

    /// Makes true what the hook asked for, in the order of the real commit. Ports come first, and they
    /// alone can be refused once the hook has ended, so that a refusal leaves nothing behind.
    pub fn commit(&mut self) -> Result<(), HostError> {
        let effects = std::mem::take(&mut self.txn).into_effects();
        self.carry_out(&effects)
    }

    fn carry_out(&mut self, effects: &Effects) -> Result<(), HostError> {
        macro_rules! commit {
            ($($tool:ident)*) => { $($tool::commit(self, &effects.$tool)?;)* };
        }
        periapt_contract::each_tool!(commit);
        Ok(())
    }

    pub fn discard(&mut self) {
        self.txn = HookTxn::default();
    }

    /// A call that the hook's transaction answers.
    fn transaction<R>(
        &mut self,
        call: impl FnOnce(&mut HookTxn, &mut Self) -> Result<R, CallError>,
    ) -> Result<R, HostError> {
        self.unrestricted()?;
        let mut txn = std::mem::take(&mut self.txn);
        let answer = call(&mut txn, self);
        self.txn = txn;
        Ok(answer?)
    }
}

impl ConfigHost for RefCell<TestHost> {
    /// An option that was never set and has no default is one without a value.
    fn config_get(&self, key: &str) -> Result<Option<Value>, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().config.get(key).cloned())
    }

    fn config_all(&self) -> Result<Vec<(String, Value)>, HostError> {
        self.borrow().unrestricted()?;
        Ok(self
            .borrow()
            .config
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect())
    }
}

impl GoalStateHost for RefCell<TestHost> {
    fn goal_state(&self) -> Result<GoalState, HostError> {
        self.borrow().unrestricted()?;
        Ok(self.borrow().goal_state.clone())
    }
}

impl NetworkHost for RefCell<TestHost> {
    fn network(&self, binding: &str) -> Result<Network, HostError> {
        let host = self.borrow();
        host.unrestricted()?;
        if let Some(network) = host.networks.get(binding) {
            return Ok(network.clone());
        }
        if !host.endpoints.iter().any(|endpoint| endpoint == binding) {
            return Err(HostError::new(
                ErrorCode::NotFound,
                format!("the charm has no binding \"{binding}\""),
            ));
        }
        Ok(Network {
            bind_addresses: vec![host.address.clone()],
            ingress_addresses: vec![host.address.clone()],
            egress_subnets: vec![format!("{}/32", host.address)],
        })
    }
}

impl LogHost for RefCell<TestHost> {
    fn log(&self, level: Level, message: &str) {
        self.borrow_mut().log.push((level, message.to_owned()));
    }
}

impl From<CallError> for HostError {
    fn from(error: CallError) -> Self {
        let code = match error.code {
            CallErrorCode::Invalid => ErrorCode::Invalid,
            CallErrorCode::NotFound => ErrorCode::NotFound,
            CallErrorCode::Denied => ErrorCode::Denied,
            CallErrorCode::Limit => ErrorCode::Limit,
            CallErrorCode::Unavailable => ErrorCode::Unavailable,
        };
        HostError::new(code, error.message)
    }
}
